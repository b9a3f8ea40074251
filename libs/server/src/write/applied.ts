import { conflict, groupVersion, type JsonObject, type KubeObject, unclassified } from '@annex/machinery';
import { applyPatch, coerceMetaLoosely } from '@annex/schema';
import type { ServerDeps } from '../app.ts';
import { tidyMeta } from '../coerce-meta.ts';
import { asJson } from '../resource-kind.ts';
import { checkTarget } from './check-target.ts';
import type { WriteContext } from './context.ts';
import { resetFieldsOf } from './reset-fields.ts';
import { refuseStrictApplied } from './strict.ts';

/** What server-side apply makes of the stored object, or of none. */
export function applied(ctx: WriteContext, deps: ServerDeps): KubeObject {
  const { kind, sent, current, query, subresource } = ctx;
  const object = applyPatch({
    ...(current ? { live: current.object } : {}),
    applied: sent as JsonObject,
    schema: kind.schema.root,
    apiVersion: groupVersion(kind),
    kind: kind.kind,
    custom: kind.custom,
    manager: query.fieldManager,
    resetFields: resetFieldsOf(ctx),
    force: query.force,
    ...(subresource ? { subresource: subresource.name } : {}),
    now: deps.clock.now(),
  });
  if (kind.custom) coerceMetaLoosely(asJson(object));
  else decodeMerged(ctx, object);
  refuseStrictApplied(ctx);
  if (current === undefined) refuseUid(ctx, object);
  checkTarget(ctx, object);
  return object;
}

/** The schema lets a few values pass that Go cannot decode, such as times that are none. */
function decodeMerged({ kind, sent }: WriteContext, object: KubeObject): void {
  const wrongType = kind.schema.decodeError?.(asJson(object));
  if (wrongType !== undefined) {
    const { name = '', namespace = '' } = (sent as KubeObject).metadata ?? {};
    const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
    const version = groupVersion(kind);
    throw unclassified(
      `failed to convert new object (${namespace}/${name}; ${type}) to proper version (${version}): ${wrongType}`,
    );
  }
  kind.schema.prune(asJson(object));
  object.metadata ??= {};
  tidyMeta(object.metadata);
}

/** Whoever applies to an object of that uid does not want a new one. */
function refuseUid({ kind, name }: WriteContext, { metadata: { uid } }: KubeObject): void {
  if (uid === undefined || uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(kind, name, why);
}
