import { hasManyParts, type JsonObject, type Passes } from '@annex/machinery';

/** The part of a schema that finds the error of kube-apiserver's converter. */
interface Converting {
  conversionError(object: JsonObject): Passes<string | undefined>;
}

/**
 * Returns the error of kube-apiserver's converter for the first wrong field in an order. The first error of a very large object is that of its
 * own order: to sort it would take too long.
 */
export function* orderedConversionError(
  schema: Converting,
  object: JsonObject,
  inOrder: (object: JsonObject) => JsonObject,
): Passes<string | undefined> {
  const error = yield* schema.conversionError(object);
  if (error === undefined) return undefined;
  yield;
  return hasManyParts(object) ? error : yield* schema.conversionError(inOrder(object));
}
