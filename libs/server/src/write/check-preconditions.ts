import {
  builtinStoragePrefix,
  conflict,
  fieldErrors,
  invalid,
  type KubeObject,
  objectModified,
  parseGoInteger,
  unclassified,
} from '@annex/machinery';
import type { Step } from '../step.ts';
import type { WriteContext } from './context.ts';

/** Optimistic concurrency: a resourceVersion in the object must be that of the stored one. */
export const checkPreconditions: Step<WriteContext> = {
  name: 'checkPreconditions',
  run(write, next) {
    if (write.current !== undefined) compareVersions(write, write.current.object.metadata.resourceVersion);
    return next(write);
  },
};

function compareVersions(write: WriteContext, current: string | undefined): void {
  const { kind, name, object } = write;
  const version = object.metadata.resourceVersion;
  if (version === undefined || version === '' || version === '0') {
    if (kind.strategy.allowUnconditionalUpdate) return;
    // kube-apiserver names the resource here, and the kind in every other Invalid.
    throw invalid({ group: kind.group, kind: kind.resource }, name, [
      fieldErrors.invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (String(versionNumber(version)) !== current) throw conflict(kind, name, objectModified);
}

/**
 * A uid in a whole object must be that of the stored one; this error precedes all others. For a patched
 * object, validation reports the change as an immutable field.
 */
export function checkUid(write: WriteContext, current: KubeObject): void {
  if (write.operation !== 'update') return;
  const { uid } = (write.sent as KubeObject).metadata;
  if (uid === undefined || uid === '' || uid === current.metadata.uid) return;
  throw conflict(
    write.kind,
    write.name,
    `StorageError: invalid object, Code: 4, Key: ${kubeKey(write)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${current.metadata.uid}`,
  );
}

function versionNumber(version: string): bigint {
  try {
    return parseGoInteger(version, 'ParseUint');
  } catch (error) {
    throw unclassified((error as Error).message);
  }
}

/**
 * Returns the key of an object in kube-apiserver's store, which its messages contain. The key of a dry run
 * lacks the prefix of the store.
 */
function kubeKey({ kind, namespace, name, query }: WriteContext): string {
  const { root, byGroup } = kind.behavior.keys;
  const prefix = byGroup
    ? `${root}/${kind.group}/${kind.resource}/`
    : builtinStoragePrefix(kind.group, kind.resource);
  return `${query.dryRun ? prefix.slice(root.length) : prefix}${kind.namespaced ? `${namespace}/` : ''}${name}`;
}
