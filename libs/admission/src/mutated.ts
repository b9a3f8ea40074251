import {
  fieldErrors,
  groupVersion,
  internalError,
  invalid,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  parseGroupVersion,
  type Passes,
  StatusError,
  stringifyJson,
  unclassified,
} from '@annex/machinery';
import { coerceMetaLoosely, sortedJson } from '@annex/schema';
import {
  type AdmissionAttributes,
  coerceInPasses,
  convertKind,
  type Expected,
  typeError,
  untypedText,
} from '@annex/server';
import { asJson, type ResourceKind } from '@annex/kinds';

/**
 * Decodes an object that a webhook or a policy changed, and applies defaults, in passes over the object. A custom
 * object may have another kind. Throws InternalError if it is not an object, and for unknown fields of built-in
 * kinds if `strict`.
 */
export function* decodeMutated(
  value: JsonValue,
  kind: ResourceKind,
  attributes: AdmissionAttributes,
  { strict = false } = {},
): Passes<KubeObject> {
  if (!isObject(value)) throw internalError(untypedText(value));
  const { objectKind } = attributes;
  const expected = {
    ...(objectKind ?? kind),
    typed: kind.behavior.typed || objectKind !== undefined,
    has: kind.behavior.hasKind,
    schema: objectKind?.schema ?? kind.schema,
  };
  const object = expected.typed
    ? yield* typedObject(value, expected, strict)
    : customObject(value, attributes);
  yield;
  const { schema } = expected;
  const defaults = schema.defaultsInPasses?.(asJson(object));
  if (defaults === undefined) schema.applyDefaults(asJson(object));
  else yield* defaults;
  // The options of a connection have no metadata, but decoding adds it.
  if (attributes.operation === 'CONNECT') delete (object as Partial<KubeObject>).metadata;
  return object;
}

function* typedObject(value: JsonObject, expected: Expected, strict: boolean): Passes<KubeObject> {
  const problem = typeError(value, expected) ?? expected.schema.decodeError?.(value);
  if (problem !== undefined) throw internalError(problem);
  const { object, strict: errors } = yield* asInternal(coerceInPasses(value, expected));
  if (strict && errors.length > 0) {
    throw internalError(`strict decoding error: ${errors.join(', ')}`);
  }
  return object;
}

/** Does not prune: validation sees the unpruned object, and readers see it pruned. */
function customObject(value: JsonObject, { operation }: AdmissionAttributes): KubeObject {
  if (typeof value.kind !== 'string' || value.kind === '') {
    throw internalError(`Object 'Kind' is missing in '${stringifyJson(sortedJson(value))}'`);
  }
  if (operation === 'CREATE' && value.metadata !== undefined && !isObject(value.metadata)) {
    throw internalError('system metadata was not initialized');
  }
  coerceMetaLoosely(value);
  return value as unknown as KubeObject;
}

/**
 * Converts a changed object from any version of its kind to the version of the request. Throws if the kind of
 * a custom object has changed.
 */
export async function inRequestVersion(
  object: KubeObject,
  seenAs: ResourceKind,
  { kind: requested, objectKind }: AdmissionAttributes,
): Promise<KubeObject> {
  if (objectKind !== undefined) return object;
  if (requested.behavior.typed) return await convertKind(object, seenAs, requested);
  const { apiVersion = '', kind = '', metadata } = object;
  const { group, version } = parseGroupVersion(apiVersion);
  const requestVersion = groupVersion(requested);
  if (group !== requested.group) {
    const named = `${group}/${version}, Kind=${kind}`;
    throw unclassified(`${named} is unstructured and is not suitable for converting to "${requestVersion}"`);
  }
  if (kind !== requested.kind) {
    throw invalid({ group, kind }, metadata.name ?? '', [
      fieldErrors.invalid('kind', kind, `must be ${requested.kind}`),
    ]);
  }
  if (apiVersion === requestVersion) return object;
  return (await requested.storage?.inVersion?.(object, requestVersion))?.object ?? object;
}

/** Converts client errors of passes to InternalError: the client did not cause them. */
export function* asInternal<T>(passes: Passes<T>): Passes<T> {
  try {
    return yield* passes;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw internalError(causeText(error));
  }
}

/** Returns the most specific message of a Status error. */
export const causeText = (error: StatusError): string =>
  error.cause instanceof Error
    ? error.cause.message
    : (error.status.details?.causes?.[0]?.message ?? error.message);
