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
  StatusError,
  stringifyJson,
  unclassified,
} from '@annex/machinery';
import { coerceMetaLoosely, sortedJson } from '@annex/schema';
import {
  type AdmissionAttributes,
  coerce,
  convertKind,
  type Expected,
  foreignType,
  untypedText,
} from '@annex/server';
import { asJson, type ResourceKind } from '@annex/kinds';

/**
 * What a webhook or a policy made of an object, as an object that may be of another kind if it is a custom one: defaulted like one that
 * was sent. Throws InternalError where it is none, and for unknown fields of built-in kinds where `strict`.
 */
export function decodeMutated(
  value: JsonValue,
  kind: ResourceKind,
  attributes: AdmissionAttributes,
  { strict = false } = {},
): KubeObject {
  if (!isObject(value)) throw internalError(untypedText(value));
  const { objectKind } = attributes;
  const expected = {
    ...(objectKind ?? kind),
    typed: kind.behavior.typed || objectKind !== undefined,
    has: kind.behavior.hasKind,
    schema: objectKind?.schema ?? kind.schema,
  };
  const object = expected.typed ? typedObject(value, expected, strict) : customObject(value, attributes);
  expected.schema.applyDefaults(asJson(object));
  // The options of a connection have none, and decoding makes them.
  if (attributes.operation === 'CONNECT') delete (object as Partial<KubeObject>).metadata;
  return object;
}

function typedObject(value: JsonObject, expected: Expected, strict: boolean): KubeObject {
  const problem = foreignType(value, expected) ?? expected.schema.decodeError?.(value);
  if (problem !== undefined) throw internalError(problem);
  const { object, strict: errors } = asInternal(() => coerce(value, expected));
  if (strict && errors.length > 0) {
    throw internalError(`strict decoding error: ${errors.join(', ')}`);
  }
  return object;
}

/** Nothing of it is pruned: validation sees it as it is, and readers see it pruned. */
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
 * A changed object in the version of the request, whatever version of its kind it is in now. Throws where a custom object has become
 * one of another kind.
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
  const wanted = groupVersion(requested);
  if (group !== requested.group) {
    const named = `${group}/${version}, Kind=${kind}`;
    throw unclassified(`${named} is unstructured and is not suitable for converting to "${wanted}"`);
  }
  if (kind !== requested.kind) {
    throw invalid({ group, kind }, metadata.name ?? '', [
      fieldErrors.invalid('kind', kind, `must be ${requested.kind}`),
    ]);
  }
  if (apiVersion === wanted) return object;
  return (await requested.storage?.inVersion?.(object, wanted))?.object ?? object;
}

/** Runs what refuses with the answers to a client's own mistakes: here they are not the client's. */
export function asInternal<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw internalError(causeText(error));
  }
}

/** The most telling text of a refusal. */
export const causeText = (error: StatusError): string =>
  error.cause instanceof Error
    ? error.cause.message
    : (error.status.details?.causes?.[0]?.message ?? error.message);
