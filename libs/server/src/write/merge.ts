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
  stringifyJson,
} from '@annex/machinery';
import { applyStrategicMergePatch, sortedJson } from '@annex/schema';
import type { ServerDeps } from '../app.ts';
import { coerceMeta, metaError, tidyMeta } from '../coerce-meta.ts';
import { checkCustomType, foreignType } from '../object-type.ts';
import { decodePatch, patchTypes } from '../decode-patch.ts';
import { asJson } from '../resource-kind.ts';
import type { Step } from '../step.ts';
import { applied } from './applied.ts';
import { checkTarget } from './check-target.ts';
import type { WriteContext } from './context.ts';
import { refuseStrictPatch, unfitPatch } from './strict.ts';

/** Makes the new object: of the body, or of the stored object and the patch. */
export const merge = (deps: ServerDeps): Step<WriteContext> => ({
  name: 'merge',
  async run(ctx, next) {
    const sent = newObject(ctx, deps);
    const { subresource, current } = ctx;
    ctx.object =
      subresource?.spec.write && current
        ? await subresource.spec.write(sent, current.object, ctx.request)
        : sent;
    // The hook may have taken over parts of the stored object, which is shared.
    if (subresource !== undefined) ctx.object = deepCopy(ctx.object);
    await next();
  },
});

function newObject(ctx: WriteContext, deps: ServerDeps): KubeObject {
  if (ctx.operation === 'create' || ctx.operation === 'update') return deepCopy(ctx.sent as KubeObject);
  if (ctx.operation === 'apply') return applied(ctx, deps);
  return patched(ctx);
}

function patched(ctx: WriteContext): KubeObject {
  const { current, subresource } = ctx;
  if (current === undefined) throw new Error('a patch needs an object');
  const { patch, strict } = decodePatch(ctx.body, ctx.mediaType);
  ctx.sent = patch;
  ctx.strict = strict;
  const base = deepCopy(
    subresource?.spec.read?.(current.object, ctx.request) ?? current.object,
  ) as KubeObject;
  const result = applyAny(ctx, base);
  if (!isObject(result)) throw badRequest('the patched object is not an object');
  checkPatched(ctx, result);
  if (!isObject(result.metadata)) result.metadata = {};
  tidyMeta(result.metadata);
  const object = result as unknown as KubeObject;
  checkTarget(ctx, object);
  return object;
}

/** A patched object must be one of its kind still. */
function checkPatched(ctx: WriteContext, result: JsonObject): void {
  const { kind, subresource, mediaType } = ctx;
  const expected = { ...(subresource?.spec ?? kind), custom: kind.custom, schema: kind.schema };
  const strategic = mediaType === patchTypes.strategic;
  // A strategic merge patch is applied to the fields of a Go type: kind and apiVersion are none of them.
  if (strategic) Object.assign(result, { kind: expected.kind, apiVersion: groupVersion(expected) });
  const why = kind.custom ? missingKind(result) : foreignType(result, expected);
  if (why !== undefined) throw unfitPatch(ctx, why, result);
  if (kind.custom) checkCustomType(result, expected);
  const wrongType =
    (kind.custom ? metaError(result) : undefined) ??
    (strategic ? kind.schema.conversionError?.(result) : kind.schema.decodeError?.(result));
  if (wrongType !== undefined) throw unfitPatch(ctx, wrongType, result);
  const unknown = [
    ...(kind.custom ? coerceMeta(result) : []),
    // A subresource of a type of its own is described by another schema.
    ...(subresource?.spec.schema === undefined ? kind.schema.prune(result) : []),
  ];
  if (strategic) unknown.sort();
  ctx.strict = [...ctx.strict, ...unknown.map((path) => `unknown field "${path}"`)];
  refuseStrictPatch(ctx, result);
}

const missingKind = (result: JsonObject): string | undefined =>
  typeof result.kind === 'string' && result.kind !== ''
    ? undefined
    : `Object 'Kind' is missing in '${stringifyJson(sortedJson(result))}'`;

function applyAny(ctx: WriteContext, base: KubeObject): unknown {
  switch (ctx.mediaType) {
    case patchTypes.json:
      return notTooDeep(applyJsonPatch(asJson(base), ctx.sent));
    case patchTypes.merge:
      return applyMergePatch(asJson(base), ctx.sent);
    default:
      return applyStrategicMergePatch(asJson(base), ctx.sent, ctx.kind.schema.root);
  }
}

// Only a JSON patch can make an object deeper than it and the patch were.
function notTooDeep(result: JsonValue): JsonValue {
  if (nestsTooDeep(result)) throw badRequest('error applying patch: exceeded max depth');
  return result;
}
