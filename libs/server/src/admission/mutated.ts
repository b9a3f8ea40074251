import {
  fieldErrors,
  internalError,
  invalid,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  StatusError,
} from '@annex/machinery';
import { coerceMetaLoosely } from '@annex/schema';
import type { AdmissionRequest } from './plugin.ts';
import { coerce, type Expected } from '../decoding/decode-object.ts';
import { untypedText } from '../decoding/object-type.ts';
import { asJson, type ResourceKind } from '../resource-kind.ts';

/**
 * What a webhook or a policy made of an object, as an object of its kind: defaulted like one that was sent. Throws InternalError
 * where it is none, and for unknown fields of built-in kinds where `strict`.
 */
export function decodeMutated(
  value: JsonValue,
  kind: ResourceKind,
  { objectKind }: AdmissionRequest,
  { strict = false } = {},
): KubeObject {
  if (!isObject(value)) throw internalError(untypedText(value));
  const expected = {
    ...(objectKind ?? kind),
    custom: kind.custom,
    schema: objectKind?.schema ?? kind.schema,
  };
  const object = kind.custom ? customObject(value, expected) : builtinObject(value, expected, strict);
  expected.schema.applyDefaults(asJson(object));
  return object;
}

function builtinObject(value: JsonObject, expected: Expected, strict: boolean): KubeObject {
  const wrongType = expected.schema.decodeError?.(value);
  if (wrongType !== undefined) throw internalError(wrongType);
  const { object, strict: complaints } = asInternal(() => coerce(value, expected));
  if (strict && complaints.length > 0) {
    throw internalError(`strict decoding error: ${complaints.join(', ')}`);
  }
  return object;
}

/** Nothing of it is pruned: validation sees it as it is, and readers see it pruned. */
function customObject(value: JsonObject, { kind: expected, group }: Expected): KubeObject {
  coerceMetaLoosely(value);
  const object = value as unknown as KubeObject;
  const { kind = '', metadata } = object;
  if (kind === expected) return object;
  throw invalid({ group, kind }, metadata.name ?? '', [
    fieldErrors.invalid('kind', kind, `must be ${expected}`),
  ]);
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
