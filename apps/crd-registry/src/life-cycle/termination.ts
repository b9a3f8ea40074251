import { deepCopy } from '@annex/machinery';
import { pause, type ServerDeps } from '@annex/server';
import { cleanupFinalizer, conditionOf, type Crd, isTrue } from '../crd/crd.ts';
import { overlapsBuiltin } from '../served/overlap.ts';
import { storagePrefix } from '../served/storage-kind.ts';
import { type NewCondition, setCondition } from './conditions.ts';
import type { CrdStore } from './crd-store.ts';
import { removeInstances } from './instance-removal.ts';

const inProgress: NewCondition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const removed: NewCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const neverEstablished: NewCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};
const overlapping: NewCondition = {
  type: 'Terminating',
  status: 'False',
  reason: 'OverlappingBuiltInResource',
  message: 'instances overlap with built-in resources in storage',
};

export const isTerminating = (crd: Crd): boolean =>
  crd.metadata.deletionTimestamp !== undefined && (crd.metadata.finalizers ?? []).includes(cleanupFinalizer);

/**
 * Finishes the deletion of a CRD: deletes its objects, then removes its finalizer, and with the last finalizer the CRD. Ends without error
 * if the CRD is already gone.
 */
export async function terminate(
  deps: ServerDeps,
  crds: CrdStore,
  crd: Crd,
  signal: AbortSignal,
): Promise<void> {
  // The event of a large definition takes most of a slice.
  await pause();
  await change(crds, crd, async (current) => {
    if (conditionOf(current, 'Terminating')?.reason === inProgress.reason) return true;
    return await crds.update(withCondition(current, inProgress, crds.now()));
  });
  let outcome = neverEstablished;
  if (overlapsBuiltin(crd.spec)) outcome = overlapping;
  else if (isTrue(crd, 'Established')) {
    await removeInstances(deps, storagePrefix(crd), signal);
    outcome = removed;
  }
  await change(crds, crd, (current) => release(crds, withCondition(current, outcome, crds.now())));
}

/** Retries a write on the newest state until it succeeds or the CRD is gone. */
async function change(crds: CrdStore, crd: Crd, write: (current: Crd) => Promise<boolean>): Promise<void> {
  for (;;) {
    const current = crds.get(crd.metadata.name ?? '');
    if (current?.metadata.uid !== crd.metadata.uid || current === undefined || !isTerminating(current))
      return;
    if (await write(current)) return;
  }
}

function withCondition(crd: Crd, condition: NewCondition, now: number): Crd {
  // Only the status changes, and the list of finalizers is replaced: the spec may be large.
  const next: Crd = { ...crd, metadata: { ...crd.metadata }, status: deepCopy(crd.status) };
  setCondition(next, condition, now);
  return next;
}

async function release(crds: CrdStore, crd: Crd): Promise<boolean> {
  const finalizers = (crd.metadata.finalizers ?? []).filter((finalizer) => finalizer !== cleanupFinalizer);
  if (finalizers.length === 0) return await crds.remove(crd);
  crd.metadata.finalizers = finalizers;
  return await crds.update(crd);
}
