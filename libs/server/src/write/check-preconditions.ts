import { conflict, fieldErrors, invalid, objectModified, unclassified } from '@annex/machinery';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Optimistic concurrency: a resourceVersion or uid in the object must be that of the stored one. */
export const checkPreconditions: Step<WriteContext> = {
  name: 'checkPreconditions',
  run(ctx, next) {
    if (ctx.current !== undefined) compare(ctx, ctx.current.object.metadata);
    return next();
  },
};

function compare(ctx: WriteContext, current: { uid?: string; resourceVersion?: string }): void {
  const { kind, name, object } = ctx;
  const version = object.metadata.resourceVersion;
  if (
    object.metadata.uid !== undefined &&
    object.metadata.uid !== '' &&
    object.metadata.uid !== current.uid
  ) {
    throw conflict(
      kind,
      name,
      `StorageError: invalid object, Code: 4, Key: ${ctx.objects.key(ctx.namespace, name)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${object.metadata.uid}, UID in object meta: ${current.uid}`,
    );
  }
  if (version === undefined || version === '' || version === '0') {
    if (ctx.operation !== 'update' || kind.strategy.allowUnconditionalUpdate) return;
    // kube names the resource here where it names the kind in every other Invalid.
    throw invalid({ group: kind.group, kind: kind.resource }, name, [
      fieldErrors.invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (!/^\d+$/.test(version)) throw malformedVersion(version);
  if (version !== current.resourceVersion) throw conflict(kind, name, objectModified);
}

const malformedVersion = (version: string) =>
  unclassified(`strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
