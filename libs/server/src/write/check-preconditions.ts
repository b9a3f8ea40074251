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
  const { uid } = object.metadata;
  // The uid of a patched object is left to validation, which finds that it may not change.
  if (ctx.operation === 'update' && uid !== undefined && uid !== '' && uid !== current.uid) {
    throw conflict(
      kind,
      name,
      `StorageError: invalid object, Code: 4, Key: ${kubeKey(ctx)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.uid}`,
    );
  }
  if (version === undefined || version === '' || version === '0') {
    if (kind.strategy.allowUnconditionalUpdate) return;
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

/** Resources that kube keeps under another name than their own. */
const keptAs: Readonly<Record<string, string>> = {
  endpoints: 'services/endpoints',
  ingresses: 'ingress',
  nodes: 'minions',
  replicationcontrollers: 'controllers',
  services: 'services/specs',
};
const keptByGroup = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io']);

/** The key of an object in the store of kube-apiserver, which its messages show. */
function kubeKey({ kind, namespace, name }: WriteContext): string {
  const byGroup = kind.custom || keptByGroup.has(kind.group);
  const head = byGroup ? `${kind.group}/${kind.resource}` : (keptAs[kind.resource] ?? kind.resource);
  return `/registry/${head}/${kind.namespaced ? `${namespace}/` : ''}${name}`;
}
