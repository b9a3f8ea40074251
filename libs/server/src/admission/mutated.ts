import { internalError, isObject, type JsonValue, type KubeObject, StatusError } from '@annex/machinery';
import type { AdmissionRequest } from './plugin.ts';
import { coerce } from '../decode-object.ts';
import { asJson, type ResourceKind } from '../resource-kind.ts';

/**
 * What a webhook or a policy made of an object, as an object of its kind: pruned and defaulted like one that was sent. Throws
 * InternalError where it is none, and for unknown fields of built-in kinds where `strict`.
 */
export function decodeMutated(
  value: JsonValue,
  kind: ResourceKind,
  { objectKind }: AdmissionRequest,
  { strict = false } = {},
): KubeObject {
  if (!isObject(value)) throw internalError('the patched object is not an object');
  const expected = {
    ...(objectKind ?? kind),
    custom: kind.custom,
    schema: objectKind?.schema ?? kind.schema,
  };
  const wrongType = kind.custom ? undefined : expected.schema.decodeError?.(value);
  if (wrongType !== undefined) throw internalError(wrongType);
  const { object, strict: complaints } = asInternal(() => coerce(value, expected));
  if (strict && !kind.custom && complaints.length > 0) {
    throw internalError(`strict decoding error: ${complaints.join(', ')}`);
  }
  expected.schema.applyDefaults(asJson(object));
  return object;
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
