import {
  applyJsonPatch,
  internalError,
  isObject,
  type JsonValue,
  type KubeObject,
  parseJson,
  StatusError,
} from '@annex/machinery';
import type { AdmissionRequest } from '../admission.ts';
import { coerce } from '../decode-object.ts';
import { asJson } from '../resource-kind.ts';
import { CallError, failureOf } from './call.ts';
import type { Invocation } from './invocation.ts';

/**
 * The object with the JSON patch of a webhook applied: pruned and defaulted like one that was sent. `undefined` where the
 * patch is empty, or unreadable from a webhook that may fail. Throws StatusError.
 */
export function patchedBy(
  text: string,
  invocation: Invocation,
  request: AdmissionRequest,
  object: KubeObject | undefined,
): KubeObject | undefined {
  const { name } = invocation.webhook.spec;
  const patch = readPatch(text);
  if (patch instanceof Error) {
    const refusal = failureOf(invocation, new CallError(name, patch));
    if (refusal !== undefined) throw refusal;
    return undefined;
  }
  if (patch.length === 0) return undefined;
  if (object === undefined) {
    throw internalError(
      `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  return decodePatched(
    inWords(() => applyJsonPatch(asJson(object), patch)),
    invocation,
    request,
  );
}

function readPatch(text: string): JsonValue[] | Error {
  const undecodable = (why: string) => new Error(`received undecodable patch in webhook response: ${why}`);
  try {
    const patch = parseJson(text);
    return Array.isArray(patch) ? patch : undecodable('the patch is not an array');
  } catch (error) {
    return undecodable(error instanceof Error ? error.message : String(error));
  }
}

function decodePatched(value: JsonValue, { kind }: Invocation, { objectKind }: AdmissionRequest): KubeObject {
  if (!isObject(value)) throw internalError('the patched object is not an object');
  const expected = {
    ...(objectKind ?? kind),
    custom: kind.custom,
    schema: objectKind?.schema ?? kind.schema,
  };
  const { object } = inWords(() => coerce(value, expected));
  expected.schema.applyDefaults(asJson(object));
  return object;
}

/** Runs what refuses with the answers of a client's own mistakes; here they are those of the webhook. */
function inWords<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    throw internalError(error.status.details?.causes?.[0]?.message ?? error.message);
  }
}
