import {
  conflict,
  finishInSlices,
  groupVersion,
  type JsonObject,
  type KubeObject,
  type Passes,
  unclassified,
} from '@annex/machinery';
import {
  applyPatchInPasses,
  coerceMetaLoosely,
  decodeErrorOf,
  pruneFields,
  type VersionConverter,
  withConversion,
} from '@annex/schema';
import type { ServerDeps } from '../app.ts';
import { removeEmptyFields } from '../decoding/coerce-meta.ts';
import { pause } from '../large-objects.ts';
import { asJson, type KindRegistry } from '@annex/kinds';
import { checkTarget } from './check-target.ts';
import type { WriteContext } from './context.ts';
import { inVersion } from './in-version.ts';
import { isLargeWrite } from './large-write.ts';
import { resetFieldsOf } from './reset-fields.ts';
import { refuseStrictApplied } from './strict.ts';

/** Applies a configuration to the stored object, or to none. */
export async function applied(
  write: WriteContext,
  deps: ServerDeps,
  kinds: KindRegistry,
): Promise<KubeObject> {
  const { sent, live, query, subresource } = write;
  const { kind, schema, typed, ...version } = write.endpoint;
  const { applyError } = subresource?.spec ?? {};
  const now = deps.clock.now();
  const large = isLargeWrite(write);
  const request = (convert: VersionConverter) => ({
    ...(live ? { live } : {}),
    applied: sent as JsonObject,
    schema: schema.root,
    apiVersion: groupVersion(version),
    kind,
    typed,
    empty: schema.empty,
    convert,
    manager: query.fieldManager,
    resetFields: resetFieldsOf(write),
    resetVersions: (subresource?.spec ?? write.kind.strategy).resetVersions,
    force: query.force,
    ...(applyError === undefined ? {} : { convertError: applyError }),
    ...(subresource ? { subresource: subresource.name } : {}),
    now,
    large,
  });
  const convert = inVersion(write, kinds);
  const slices = large ? pause : undefined;
  const { object, changed } = await withConversion(
    convert,
    (known) => applyPatchInPasses(request(known)),
    slices,
  );
  write.unchanged = live !== undefined && !changed;
  const turn = slices?.();
  if (turn !== undefined) await turn;
  if (typed) await finishInSlices(decodeMerged(write, object), slices ?? (() => undefined));
  else coerceMetaLoosely(asJson(object));
  refuseStrictApplied(write);
  if (live === undefined) refuseUid(write, object);
  checkTarget(write, object);
  return object;
}

/** The schema accepts a few values that Go cannot decode, such as invalid times. */
function* decodeMerged(write: WriteContext, object: KubeObject): Passes<void> {
  const { group, version, kind, schema } = write.endpoint;
  const decodingError =
    schema.conversionError === undefined
      ? yield* decodeErrorOf(schema, asJson(object))
      : yield* schema.conversionError(asJson(object));
  if (decodingError !== undefined) {
    const { name = '', namespace = '' } = (write.sent as KubeObject).metadata ?? {};
    const type = `${group}/${version}, Kind=${kind}`;
    throw unclassified(
      `failed to convert new object (${namespace}/${name}; ${type}) to proper version: unable to convert unstructured object to ${type}: ${decodingError}`,
    );
  }
  yield;
  yield* pruneFields(schema, asJson(object));
  object.metadata ??= {};
  removeEmptyFields(object.metadata);
}

/** An applied configuration with a uid must not create an object. */
function refuseUid({ kind, name }: WriteContext, { metadata: { uid } }: KubeObject): void {
  if (uid === undefined || uid === '') return;
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  throw conflict(kind, name, why);
}
