import {
  type JsonValue,
  type KubeObject,
  applyJsonPatch,
  applyJsonPatchInSlices,
  applyMergePatchInPasses,
  badRequest,
  finish,
  finishInSlices,
  groupVersion,
  isObject,
  type JsonObject,
  nestsTooDeep,
  type Passes,
  parseJson,
  stringifyJson,
} from '@annex/machinery';
import {
  applyStrategicMergePatch,
  applyStrategicMergePatchInPasses,
  copyObject,
  sortedJson,
} from '@annex/schema';
import { mapMaybePromise } from '@annex/runtime';
import type { ServerDeps } from '../app.ts';
import { coerceMeta, metaError, removeEmptyFields } from '../decoding/coerce-meta.ts';
import { invalidTypeError, schemaOf } from '../decoding/decode-object.ts';
import { typeError, untypedText } from '../decoding/object-type.ts';
import { slicedBodyBytes } from '../decoding/body-limits.ts';
import { type DecodedPatch, decodePatch } from '../decoding/decode-patch.ts';
import { asJson, type KindRegistry, patchTypes } from '@annex/kinds';
import { copyInSlices, pause } from '../large-objects.ts';
import type { Step } from '../step.ts';
import { applied } from './apply-patch.ts';
import { checkTarget } from './check-target.ts';
import type { WriteContext } from './context.ts';
import { isLargeWrite } from './large-write.ts';
import { patchedText, refuseStrictPatch, invalidPatch } from './strict.ts';

/** Builds the new object of the endpoint: from the body, or from the stored object and the patch. */
export const merge = (deps: ServerDeps, kinds: KindRegistry): Step<WriteContext> => ({
  name: 'merge',
  run(write, next) {
    const merging = write.operation === 'apply' ? applied(write, deps, kinds) : newObject(write);
    return mapMaybePromise(merging, (object) => {
      write.object = object;
      return next(write);
    });
  },
});

function newObject(write: WriteContext): KubeObject | Promise<KubeObject> {
  if (write.operation !== 'create' && write.operation !== 'update') return patched(write);
  const sent = write.sent as KubeObject;
  return isLargeWrite(write) ? copyInSlices(sent) : copyObject(sent);
}

function patched(write: WriteContext): KubeObject | Promise<KubeObject> {
  const decoding = decodePatch(write.body, write.mediaType);
  if (write.body.length < slicedBodyBytes) return patchedBy(write, finish(decoding));
  return finishInSlices(decoding, pause).then((decoded) => patchedBy(write, decoded));
}

function patchedBy(write: WriteContext, { patch, strict }: DecodedPatch): KubeObject | Promise<KubeObject> {
  const { live } = write;
  if (live === undefined) throw new Error('a patch needs an object');
  write.sent = patch;
  write.strict = strict;
  if (isSliced(write)) return patchedInSlices(write, asJson(live));
  if (isLargeWrite(write)) return patchedLarge(write, live);
  return accepted(write, applyAny(write, copyObject(live)), () => applyAny(write, copyObject(live)));
}

/** JSON patches with more operations are applied in slices. */
const slicedOperations = 100;

const isSliced = (write: WriteContext): boolean =>
  write.mediaType === patchTypes.json &&
  Array.isArray(write.sent) &&
  (write.sent.length > slicedOperations || isLargeWrite(write));

/** Patches a large object; its copy for errors is made only if one is needed. */
async function patchedLarge(write: WriteContext, live: KubeObject): Promise<KubeObject> {
  const copy = await copyInSlices(live);
  await pause();
  const passes = passesOf(write, copy);
  const result = passes === undefined ? applyAny(write, copy) : await finishInSlices(passes, pause);
  await pause();
  return accepted(write, result, () => applyAny(write, copyObject(live)));
}

async function patchedInSlices(write: WriteContext, live: JsonObject): Promise<KubeObject> {
  const result = requireDepthLimit(await applyJsonPatchInSlices(live, write.sent, pause));
  const again = await copyInSlices(result);
  await pause();
  return accepted(write, result, () => again);
}

/**
 * Checks a patched object, and removes its unknown fields. `again` returns the patched object with the unknown
 * fields, for errors.
 */
function accepted(write: WriteContext, result: JsonValue, again: () => JsonValue): KubeObject {
  // A patch can replace the object by a list.
  if (!isObject(result)) throw invalidPatch(write, untypedText(result), result);
  checkPatched(write, result, again);
  if (!isObject(result.metadata)) result.metadata = {};
  removeEmptyFields(result.metadata);
  const object = result as unknown as KubeObject;
  checkTarget(write, object);
  return object;
}

/** Checks that a patched object still has its kind. */
function checkPatched(write: WriteContext, result: JsonObject, again: () => JsonValue): void {
  const expected = write.endpoint;
  const { typed } = expected;
  const strategic = write.mediaType === patchTypes.strategic;
  // A strategic merge patch changes the fields of a Go type, which do not include kind and apiVersion.
  if (strategic) Object.assign(result, { kind: expected.kind, apiVersion: groupVersion(expected) });
  const why = typed
    ? (invalidTypeError(result) ?? typeError(result, expected))
    : (missingKind(result) ?? invalidTypeError(result));
  if (why !== undefined) throw invalidPatch(write, why, result);
  // One walk finds that the others have nothing to do.
  if (typed && !strategic && expected.schema.fits?.(result)) return refuseStrictPatch(write, () => result);
  const schema = typed ? expected.schema : schemaOf(result, expected);
  const decodingError =
    (typed ? undefined : metaError(result)) ??
    (strategic
      ? expected.schema.conversionError?.(result)
      : schema.decodeError?.(result) && schema.decodeError(inReadOrder(write, result)));
  if (decodingError !== undefined) throw invalidPatch(write, decodingError, result);
  let unknown = [...(typed ? [] : coerceMeta(result)), ...schema.prune(result)];
  if (strategic) unknown.sort();
  else if (typed && unknown.length > 1) unknown = schema.prune(inReadOrder(write, again() as JsonObject));
  write.strict = [...write.strict, ...unknown.map((path) => `unknown field "${path}"`)];
  refuseStrictPatch(write, () => (unknown.length === 0 ? result : again()));
}

/**
 * kube-apiserver decodes a patched object from its text and quotes this text: the first error in the text is
 * reported.
 */
const inReadOrder = (write: WriteContext, result: JsonObject): JsonObject =>
  parseJson(patchedText(write, result)) as JsonObject;

const missingKind = (result: JsonObject): string | undefined =>
  typeof result.kind === 'string' && result.kind !== ''
    ? undefined
    : `Object 'Kind' is missing in '${stringifyJson(sortedJson(result))}'`;

/** Returns the work of a patch that is applied in passes; that of a JSON patch has another form. */
function passesOf(write: WriteContext, base: KubeObject): Passes<JsonValue> | undefined {
  if (write.mediaType === patchTypes.merge) return mergedInPasses(write, base);
  if (write.mediaType === patchTypes.json) return undefined;
  return applyStrategicMergePatchInPasses(asJson(base), write.sent, write.endpoint.schema.root);
}

function applyAny(write: WriteContext, base: KubeObject): JsonValue {
  switch (write.mediaType) {
    case patchTypes.json:
      return requireDepthLimit(applyJsonPatch(asJson(base), write.sent));
    case patchTypes.merge:
      return finish(mergedInPasses(write, base));
    default:
      return applyStrategicMergePatch(asJson(base), write.sent, write.endpoint.schema.root);
  }
}

const mergedInPasses = (write: WriteContext, base: KubeObject): Passes<JsonValue> =>
  applyMergePatchInPasses(asJson(base), write.sent, write.query.fieldValidation === 'Ignore');

// Only a JSON patch can create an object that is deeper than both the original and the patch.
function requireDepthLimit(result: JsonValue): JsonValue {
  if (nestsTooDeep(result)) throw badRequest('error applying patch: exceeded max depth');
  return result;
}
