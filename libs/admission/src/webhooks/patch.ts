import {
  applyJsonPatchInPasses,
  internalError,
  isObject,
  type JsonObject,
  jsonTypeName,
  type KubeObject,
  parseJsonInPasses,
  type Passes,
} from '@annex/machinery';
import type { AdmissionAttributes } from '@annex/server';
import { asInternal, decodeMutated } from '../mutated.ts';
import { asJson } from '@annex/kinds';
import { CallError } from './call.ts';
import type { Invocation } from './invocation.ts';
import { refusedText } from './response-limits.ts';
import type { ReviewResponse } from './review.ts';

/** The operations of a JSON patch; an operation can be null. */
export type PatchOperations = readonly (JsonObject | null)[];

/** Reads the patch of a response, in passes. Throws {@link CallError}. */
export function* readPatch(text: string, { webhook }: Invocation): Passes<PatchOperations> {
  const undecodable = (why: string) =>
    new CallError(webhook.spec.name, new Error(`received undecodable patch in webhook response: ${why}`));
  const refused = yield* refusedText(text);
  if (refused !== undefined) throw undecodable(refused);
  let patch;
  try {
    patch = (yield* parseJsonInPasses(text)) ?? [];
  } catch (error) {
    throw undecodable(error instanceof Error ? error.message : String(error));
  }
  const invalid = (value: unknown, type: string) =>
    undecodable(`json: cannot unmarshal ${jsonTypeName(value)} into Go value of type jsonpatch.${type}`);
  if (!Array.isArray(patch)) throw invalid(patch, 'Patch');
  for (const operation of patch) {
    if (operation !== null && !isObject(operation)) throw invalid(operation, 'Operation');
  }
  return patch as PatchOperations;
}

/**
 * Applies the JSON patch of a webhook and sets defaults, in passes. Throws StatusError if the patch fails or the result
 * is not an object, and {@link CallError} for another type of patch.
 */
export function* patchedBy(
  patch: PatchOperations,
  { patchType = 'JSONPatch' }: ReviewResponse,
  { kind, webhook: { spec } }: Invocation,
  attributes: AdmissionAttributes,
  object: KubeObject | undefined,
): Passes<KubeObject> {
  if (object === undefined) {
    throw internalError(
      `admission webhook ${JSON.stringify(spec.name)} attempted to modify the object, which is not supported for this operation`,
    );
  }
  if (patchType !== 'JSONPatch') {
    throw new CallError(spec.name, new Error(`unsupported patch type ${JSON.stringify(patchType)}`));
  }
  const patched = yield* asInternal(applyJsonPatchInPasses(asJson(object), patch));
  yield;
  return yield* decodeMutated(patched, kind, attributes);
}
