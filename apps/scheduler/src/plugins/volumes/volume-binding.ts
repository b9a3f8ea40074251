import { deepEqual } from '@annex/machinery';
import type { ClusterObjects } from '../../cache/cluster.ts';
import type { VolumeBindingArgs } from '../../config/types.ts';
import type { EventRegistration } from '../../framework/cluster-event.ts';
import { type Cycle, StateKey } from '../../framework/cycle.ts';
import type { Handle } from '../../framework/handle.ts';
import { builtInPlugin } from '../../framework/plugin.ts';
import { failed, Status, unresolvable } from '../../framework/status.ts';
import type { Pod } from '../../objects/pod.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import type {
  CsiDriver,
  CsiNode,
  CsiStorageCapacity,
  PersistentVolumeClaim,
  StorageClass,
} from '../../objects/volumes.ts';
import { assumeVolumes, bindVolumes } from './bind-volumes.ts';
import {
  claimedVolumes,
  claimNotFound,
  foreignClaimError,
  isDelayed,
  isFullyBound,
  usesClaim,
} from './claims.ts';
import { findVolumes, type NodeVolumes, type PodClaims, volumeLimit } from './find-volumes.ts';

const unbound = unresolvable('pod has unbound immediate PersistentVolumeClaims');

interface BindingState {
  claims: PodClaims;
  /** What has to be done on each node that passed the filter. */
  byNode: Map<string, NodeVolumes>;
  allBound: boolean;
}

const stateKey = new StateKey<BindingState>('VolumeBinding');

/** Finds volumes for the claims of a Pod, and binds them to its node. */
export const volumeBinding = builtInPlugin<VolumeBindingArgs>(
  'VolumeBinding',
  ({ bindTimeoutSeconds }, handle) => {
    const { objects } = handle.cluster;
    return {
      preFilter(cycle, { pod, namespace }) {
        const refusal = whyUnusable(pod, objects);
        if (refusal !== undefined) return unresolvable(refusal);
        const all = claimedVolumes(pod).flatMap(
          ({ claimName }) => objects.claims.get(`${namespace}/${claimName}`) ?? [],
        );
        if (all.length === 0) return 'skip';
        const bound = all.filter(isFullyBound);
        const delayed = all.filter(
          (claim) => !isFullyBound(claim) && isDelayed(claim, objects) && !claim.spec.volumeName,
        );
        if (bound.length + delayed.length < all.length) return unbound;
        cycle.write(stateKey, {
          claims: { bound, delayed },
          byNode: new Map(),
          allBound: delayed.length === 0,
        });
        return undefined;
      },
      filter(cycle, _pod, node) {
        const state = cycle.read(stateKey);
        if (state === undefined) return undefined;
        const found = findVolumes(state.claims, node, objects);
        if (!isFound(found)) return new Status('unresolvable', found, 'VolumeBinding');
        state.byNode.set(node.name, found);
        return undefined;
      },
      reserve(cycle, _pod, node) {
        const state = cycle.read(stateKey);
        const volumes = state?.byNode.get(node);
        if (state !== undefined && volumes !== undefined && !state.allBound)
          state.byNode.set(node, assumeVolumes(volumes, node, objects));
        return undefined;
      },
      unreserve(cycle, _pod, node) {
        const { bindings = [], provisions = [] } = cycle.read(stateKey)?.byNode.get(node) ?? {};
        for (const { volume } of bindings) objects.volumes.restore(volume.metadata.name ?? '');
        for (const { metadata } of provisions)
          objects.claims.restore(`${metadata.namespace}/${metadata.name}`);
      },
      preBindPreFlight: (cycle) => ((cycle.read(stateKey)?.allBound ?? true) ? 'skip' : undefined),
      preBind: (cycle, pod, node) => bind(handle, cycle, pod, node, bindTimeoutSeconds * 1000),
      events,
    };
  },
);

async function bind(
  handle: Handle,
  cycle: Cycle,
  pod: PodInfo,
  node: string,
  timeoutMs: number,
): Promise<Status | undefined> {
  const volumes = cycle.read(stateKey)?.byNode.get(node);
  if (volumes === undefined) return failed(`no pod volume found for node "${node}"`);
  try {
    await bindVolumes(handle, pod, volumes, { node, timeoutMs, signal: cycle.signal });
    return undefined;
  } catch (error) {
    return failed((error as Error).message);
  }
}

const isFound = (found: NodeVolumes | readonly string[]): found is NodeVolumes => !Array.isArray(found);

/** Returns the error of claims that no node can help. */
function whyUnusable(pod: Pod, { claims }: ClusterObjects): string | undefined {
  for (const { claimName, isEphemeral } of claimedVolumes(pod)) {
    const claim = claims.get(`${pod.metadata.namespace}/${claimName}`);
    if (claim === undefined)
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claimName}"`
        : claimNotFound(claimName);
    if (claim.status?.phase === 'Lost')
      return `persistentvolumeclaim "${claimName}" bound to non-existent persistentvolume "${claim.spec.volumeName}"`;
    if (claim.metadata.deletionTimestamp !== undefined)
      return `persistentvolumeclaim "${claimName}" is being deleted`;
    const foreign = isEphemeral ? foreignClaimError(pod, claim) : undefined;
    if (foreign !== undefined) return foreign;
  }
  return undefined;
}

const migrated = 'storage.alpha.kubernetes.io/migrated-plugins';

const events: readonly EventRegistration[] = [
  {
    resource: 'StorageClass',
    actions: ['Add', 'Update'],
    hint: (_pod: PodInfo, before: StorageClass | undefined, after: StorageClass) =>
      before === undefined || !deepEqual(before.allowedTopologies ?? [], after.allowedTopologies ?? []),
  },
  {
    resource: 'PersistentVolumeClaim',
    actions: ['Add', 'Update'],
    hint: (pod: PodInfo, _before: PersistentVolumeClaim | undefined, after: PersistentVolumeClaim) =>
      usesClaim(pod, after),
  },
  { resource: 'PersistentVolume', actions: ['Add', 'Update'] },
  { resource: 'Node', actions: ['Add', 'UpdateNodeLabel'] },
  {
    resource: 'CSINode',
    actions: ['Add', 'Update'],
    hint: (_pod: PodInfo, before: CsiNode | undefined, after: CsiNode) =>
      before === undefined ||
      before.metadata.annotations?.[migrated] !== after.metadata.annotations?.[migrated],
  },
  {
    resource: 'CSIDriver',
    actions: ['Update'],
    hint: ({ pod }: PodInfo, before: CsiDriver, after: CsiDriver) =>
      before.spec.storageCapacity === true &&
      after.spec.storageCapacity !== true &&
      (pod.spec.volumes ?? []).some(({ csi }) => csi?.driver === after.metadata.name),
  },
  {
    resource: 'CSIStorageCapacity',
    actions: ['Add', 'Update'],
    hint(_pod: PodInfo, before: CsiStorageCapacity | undefined, after: CsiStorageCapacity) {
      const [old, limit] = [before && volumeLimit(before), volumeLimit(after)];
      return before === undefined || (limit !== undefined && (old === undefined || limit > old));
    },
  },
];
