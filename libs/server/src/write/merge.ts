import {
  type JsonValue,
  type KubeObject,
  applyJsonPatch,
  applyMergePatch,
  badRequest,
  deepCopy,
  groupVersion,
  isObject,
  type JsonObject,
  nestsTooDeep,
  parseJson,
  stringifyJson,
} from '@annex/machinery';
import { applyStrategicMergePatch, sortedJson } from '@annex/schema';
import type { ServerDeps } from '../app.ts';
import { coerceMeta, metaError, tidyMeta } from '../decoding/coerce-meta.ts';
import { misnamedText, schemaOf } from '../decoding/decode-object.ts';
import { foreignType, untypedText } from '../decoding/object-type.ts';
import { decodePatch } from '../decoding/decode-patch.ts';
import { asJson, type KindRegistry, patchTypes } from '@annex/kinds';
import type { Step } from '../step.ts';
import { applied } from './apply-patch.ts';
import { checkTarget } from './check-target.ts';
import type { WriteContext } from './context.ts';
import { patchedText, refuseStrictPatch, unfitPatch } from './strict.ts';

/** Makes the new object of the endpoint: of the body, or of the stored object and the patch. */
export const merge = (deps: ServerDeps, kinds: KindRegistry): Step<WriteContext> => ({
  name: 'merge',
  async run(write, next) {
    write.object = write.operation === 'apply' ? await applied(write, deps, kinds) : newObject(write);
    await next(write);
  },
});

function newObject(write: WriteContext): KubeObject {
  if (write.operation === 'create' || write.operation === 'update') return deepCopy(write.sent as KubeObject);
  return patched(write);
}

function patched(write: WriteContext): KubeObject {
  const { live } = write;
  if (live === undefined) throw new Error('a patch needs an object');
  const { patch, strict } = decodePatch(write.body, write.mediaType);
  write.sent = patch;
  write.strict = strict;
  const result = applyAny(write, deepCopy(live));
  // Patches can put a list in the place of the object.
  if (!isObject(result)) throw unfitPatch(write, untypedText(result), result);
  checkPatched(write, result);
  if (!isObject(result.metadata)) result.metadata = {};
  tidyMeta(result.metadata);
  const object = result as unknown as KubeObject;
  checkTarget(write, object);
  return object;
}

/** A patched object must be one of its kind still. */
function checkPatched(write: WriteContext, result: JsonObject): void {
  const expected = write.endpoint;
  const { typed } = expected;
  const strategic = write.mediaType === patchTypes.strategic;
  // A strategic merge patch is applied to the fields of a Go type: kind and apiVersion are none of them.
  if (strategic) Object.assign(result, { kind: expected.kind, apiVersion: groupVersion(expected) });
  const why = typed ? (misnamedText(result) ?? foreignType(result, expected)) : missingKind(result);
  if (why !== undefined) throw unfitPatch(write, why, result);
  const schema = typed ? expected.schema : schemaOf(result, expected);
  const typeInvalid =
    (typed ? undefined : metaError(result)) ??
    (strategic
      ? expected.schema.conversionError?.(result)
      : schema.decodeError?.(result) && schema.decodeError(inReadOrder(write, result)));
  if (typeInvalid !== undefined) throw unfitPatch(write, typeInvalid, result);
  let unknown = [...(typed ? [] : coerceMeta(result)), ...schema.prune(result)];
  if (strategic) unknown.sort();
  else if (typed && unknown.length > 1)
    unknown = schema.prune(inReadOrder(write, patchedAgain(write) as JsonObject));
  write.strict = [...write.strict, ...unknown.map((path) => `unknown field "${path}"`)];
  refuseStrictPatch(write, () => (unknown.length === 0 ? result : patchedAgain(write)));
}

/** A patched object is decoded from its text, which kube quotes too: what is wrong there first is told. */
const inReadOrder = (write: WriteContext, result: JsonObject): JsonObject =>
  parseJson(patchedText(write, result)) as JsonObject;

/** What the patch makes of the object with all of its unknown fields, which are gone from what was made of it before. */
const patchedAgain = (write: WriteContext): JsonValue => applyAny(write, deepCopy(write.live as KubeObject));

const missingKind = (result: JsonObject): string | undefined =>
  typeof result.kind === 'string' && result.kind !== ''
    ? undefined
    : `Object 'Kind' is missing in '${stringifyJson(sortedJson(result))}'`;

function applyAny(write: WriteContext, base: KubeObject): JsonValue {
  switch (write.mediaType) {
    case patchTypes.json:
      return notTooDeep(applyJsonPatch(asJson(base), write.sent));
    case patchTypes.merge:
      return applyMergePatch(asJson(base), write.sent, write.query.fieldValidation === 'Ignore');
    default:
      return applyStrategicMergePatch(asJson(base), write.sent, write.endpoint.schema.root);
  }
}

// Only a JSON patch can make an object deeper than it and the patch were.
function notTooDeep(result: JsonValue): JsonValue {
  if (nestsTooDeep(result)) throw badRequest('error applying patch: exceeded max depth');
  return result;
}
