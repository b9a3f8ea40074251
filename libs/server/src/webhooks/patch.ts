import { applyJsonPatch, internalError, type JsonValue, type KubeObject, parseJson } from '@annex/machinery';
import type { AdmissionRequest } from '../admission/plugin.ts';
import { asInternal, decodeMutated } from '../admission/mutated.ts';
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
  const patched = asInternal(() => applyJsonPatch(asJson(object), patch));
  return decodeMutated(patched, invocation.kind, request);
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
