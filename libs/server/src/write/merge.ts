import {
  type JsonValue,
  type KubeObject,
  applyJsonPatchInPasses,
  applyMergePatchInPasses,
  badRequest,
  everyContainer,
  finish,
  finishInSlices,
  firstParts,
  groupVersion,
  isObject,
  type JsonObject,
  maxDepth,
  type Passes,
  parseJson,
  requireFewMembers,
  stringifyJson,
} from '@annex/machinery';
import {
  applyStrategicMergePatchInPasses,
  copyObject,
  decodeErrorOf,
  type Decoding,
  pruneFields,
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
import {
  invalidPatch,
  maxQuotedParts,
  patchedText,
  type Quoted,
  quotedOf,
  quotedText,
  refuseStrictPatch,
} from './strict.ts';

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
  if (isDivided(write)) return patchedInSlices(write, live);
  const patched = (): JsonValue => finish(patchedInPasses(write, copyObject(live)));
  return finish(accepted(write, patched(), patched));
}

/** JSON patches with more operations are applied in slices. */
const slicedOperations = 100;

/** Returns whether a patch is applied in slices: it is large, or its operations are many. */
const isDivided = (write: WriteContext): boolean =>
  isLargeWrite(write) ||
  (write.mediaType === patchTypes.json && Array.isArray(write.sent) && write.sent.length > slicedOperations);

async function patchedInSlices(write: WriteContext, live: KubeObject): Promise<KubeObject> {
  const copy = await copyInSlices(live);
  await pause();
  const result = await finishInSlices(patchedInPasses(write, copy), pause);
  await pause();
  return finishInSlices(accepted(write, result), pause);
}

/**
 * Checks a patched object, and removes its unknown fields. `again` returns the patched object with the unknown
 * fields, for errors; without it, what an error quotes is copied first.
 */
function* accepted(write: WriteContext, result: JsonValue, again?: () => JsonValue): Passes<KubeObject> {
  // A patch can replace the object by a list.
  if (!isObject(result)) throw invalidPatch(write, untypedText(result), yield* quotedOf(write, () => result));
  yield* checkPatched(write, result, again);
  if (!isObject(result.metadata)) result.metadata = {};
  removeEmptyFields(result.metadata);
  const object = result as unknown as KubeObject;
  checkTarget(write, object);
  return object;
}

/** Checks that a patched object still has its kind, and that it can be decoded. */
function* checkPatched(write: WriteContext, result: JsonObject, again?: () => JsonValue): Passes<void> {
  const expected = write.endpoint;
  const { typed } = expected;
  const strategic = write.mediaType === patchTypes.strategic;
  // A strategic merge patch changes the fields of a Go type, which do not include kind and apiVersion.
  if (strategic) Object.assign(result, { kind: expected.kind, apiVersion: groupVersion(expected) });
  const why = typed
    ? (invalidTypeError(result) ?? typeError(result, expected))
    : ((yield* missingKind(result)) ?? invalidTypeError(result));
  if (why !== undefined) throw invalidPatch(write, why, yield* quotedOf(write, () => result));
  // One walk finds that the others have nothing to do.
  if (typed && !strategic && expected.schema.fits?.(result) === true)
    return yield* refuseStrictPatch(write, () => quotedOf(write, () => result));
  yield;
  const before = again === undefined ? yield* quotedOf(write, () => result) : undefined;
  function* quoted(): Passes<Quoted> {
    return before ?? (yield* quotedOf(write, again ?? (() => result)));
  }
  yield;
  const schema = typed ? expected.schema : schemaOf(result, expected);
  const decodingError =
    (typed ? undefined : yield* metaError(result)) ??
    (strategic
      ? expected.schema.conversionError && (yield* expected.schema.conversionError(result))
      : yield* firstDecodeError(write, schema, result));
  if (decodingError !== undefined) throw invalidPatch(write, decodingError, yield* quoted());
  yield;
  const unknownInMeta = typed ? [] : coerceMeta(result);
  let unknown = [...unknownInMeta, ...(yield* pruneFields(schema, result))];
  if (strategic) unknown.sort();
  else if (typed && unknown.length > 1) {
    yield;
    const { value, isWhole } = yield* quoted();
    if (isWhole) unknown = yield* pruneFields(schema, inReadOrder(write, value));
  }
  write.strict = [...write.strict, ...unknown.map((path) => `unknown field "${path}"`)];
  yield* refuseStrictPatch(write, quoted);
}

/** Returns the first error in the text of a patched object; of an object that is too large to be quoted, the first in its own order. */
function* firstDecodeError(
  write: WriteContext,
  schema: Decoding,
  result: JsonObject,
): Passes<string | undefined> {
  const error = yield* decodeErrorOf(schema, result);
  if (error === undefined) return undefined;
  yield;
  const { value, isWhole } = yield* quotedOf(write, () => result);
  return isWhole ? schema.decodeError?.(inReadOrder(write, value)) : error;
}

/**
 * kube-apiserver decodes a patched object from its text and quotes this text: the first error in the text is
 * reported.
 */
const inReadOrder = (write: WriteContext, patched: JsonValue): JsonObject =>
  parseJson(patchedText(write, patched)) as JsonObject;

function* missingKind(result: JsonObject): Passes<string | undefined> {
  if (typeof result.kind === 'string' && result.kind !== '') return undefined;
  const { value, isWhole } = yield* firstParts(result, maxQuotedParts);
  return `Object 'Kind' is missing in '${quotedText(stringifyJson(sortedJson(value)), isWhole)}'`;
}

/** Applies a patch of any type to a copy of the stored object. */
function* patchedInPasses(
  { mediaType, sent, query, endpoint }: WriteContext,
  base: KubeObject,
): Passes<JsonValue> {
  switch (mediaType) {
    case patchTypes.json:
      return yield* requireLimits(yield* applyJsonPatchInPasses(asJson(base), sent));
    case patchTypes.merge:
      return yield* applyMergePatchInPasses(asJson(base), sent, query.fieldValidation === 'Ignore');
    default:
      return yield* applyStrategicMergePatchInPasses(asJson(base), sent, endpoint.schema.root);
  }
}

/**
 * Only a JSON patch can create an object that is deeper than both the original and the patch. Each of its operations adds one member at most, so that
 * the names of a result with too many can still be listed.
 */
function* requireLimits(result: JsonValue): Passes<JsonValue> {
  const isWithin = yield* everyContainer(result, (names, depth) => {
    requireFewMembers(names?.length ?? 0);
    return depth <= maxDepth;
  });
  if (!isWithin) throw badRequest('error applying patch: exceeded max depth');
  return result;
}
