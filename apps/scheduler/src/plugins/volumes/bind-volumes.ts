import type { Handle } from '../../framework/handle.ts';
import type { ClusterObjects } from '../../cache/cluster.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../objects/volumes.ts';
import { isFullyBound } from './claims.ts';
import type { NodeVolumes } from './find-volumes.ts';
import { isBoundUsableOn, isReservedFor } from './match-volume.ts';

const boundByController = 'pv.kubernetes.io/bound-by-controller';
const selectedNode = 'volume.kubernetes.io/selected-node';
/** Milliseconds between looks at the state of volumes. Source: kube-scheduler. */
const pollMs = 1_000;

/** Reserves volumes for claims in the cache, and selects the node for those that are to be provisioned. */
export function assumeVolumes(volumes: NodeVolumes, node: string, objects: ClusterObjects): NodeVolumes {
  const bindings = volumes.bindings.map(({ volume, claim }) => {
    const reserved = reservedVolume(volume, claim);
    if (reserved !== volume) objects.volumes.assume(reserved);
    return { volume: reserved, claim };
  });
  const provisions = volumes.provisions.map((claim) => {
    const annotations = { ...claim.metadata.annotations, [selectedNode]: node };
    const selected = { ...claim, metadata: { ...claim.metadata, annotations } };
    objects.claims.assume(selected);
    return selected;
  });
  return { bindings, provisions };
}

function reservedVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const { claimRef } = volume.spec;
  const isReserved = isReservedFor(volume, claim);
  if (isReserved && claimRef?.uid === uid) return volume;
  const annotations = isReserved
    ? volume.metadata.annotations
    : { ...volume.metadata.annotations, [boundByController]: 'yes' };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(annotations === undefined ? {} : { annotations }) },
    spec: {
      ...volume.spec,
      claimRef: {
        kind: 'PersistentVolumeClaim',
        apiVersion: 'v1',
        namespace: namespace ?? '',
        name: name ?? '',
        uid: uid ?? '',
        resourceVersion: resourceVersion ?? '',
      },
    },
  };
}

/** Writes the reservations, then waits until all claims are bound. Rejects with kube-scheduler's text. */
export async function bindVolumes(
  handle: Handle,
  pod: PodInfo,
  volumes: NodeVolumes,
  { node, timeoutMs, signal }: { node: string; timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const { api, clock } = handle;
  const isDone = completion(handle, pod, volumes, node);
  for (const { volume } of volumes.bindings) {
    const name = encodeURIComponent(volume.metadata.name ?? '');
    await api.json({
      method: 'PUT',
      path: `/api/v1/persistentvolumes/${name}`,
      body: typed(volume, 'PersistentVolume'),
    });
  }
  for (const claim of volumes.provisions) {
    const { namespace = '', name = '' } = claim.metadata;
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/persistentvolumeclaims/${encodeURIComponent(name)}`;
    await api.json({ method: 'PUT', path, body: typed(claim, 'PersistentVolumeClaim') });
  }
  const end = clock.monotonic() + timeoutMs;
  for (;;) {
    await clock.sleep(Math.max(0, Math.min(pollMs, end - clock.monotonic())), signal);
    if (clock.monotonic() >= end) throw new Error('binding volumes: context deadline exceeded');
    try {
      if (isDone()) return;
    } catch (error) {
      throw new Error(`binding volumes: ${(error as Error).message}`, { cause: error });
    }
  }
}

/** Returns a check whether all claims are bound. The check throws when they cannot be any more. */
function completion(
  { cluster }: Handle,
  pod: PodInfo,
  { bindings, provisions }: NodeVolumes,
  node: string,
): () => boolean {
  const { objects } = cluster;
  return isDone;

  function isDone(): boolean {
    if (!cluster.pods.has(pod.key))
      throw new Error(`pod does not exist any more: pod "${pod.name}" not found`);
    return (
      bindings.every(({ volume, claim }) => isBindingDone(volume.metadata.name ?? '', claim)) &&
      provisions.every(isProvisionDone)
    );
  }

  function isBindingDone(volumeName: string, { metadata }: PersistentVolumeClaim): boolean {
    const volume = objects.volumes.stored(volumeName);
    const claim = objects.claims.stored(`${metadata.namespace}/${metadata.name}`);
    if (volume === undefined) throw new Error(`failed to check binding: could not find pv "${volumeName}"`);
    if (claim === undefined)
      throw new Error(`failed to check binding: could not find pvc "${metadata.name}"`);
    checkNode(volume);
    if (!volume.spec.claimRef?.uid) throw new Error(`ClaimRef got reset for pv "${volumeName}"`);
    return isFullyBound(claim);
  }

  function isProvisionDone({ metadata: { namespace, name } }: PersistentVolumeClaim): boolean {
    const claim = objects.claims.stored(`${namespace}/${name}`);
    if (claim === undefined)
      throw new Error(`failed to check provisioning pvc: could not find pvc "${name}"`);
    const { annotations } = claim.metadata;
    if (annotations === undefined) throw new Error(`selectedNode annotation reset for PVC "${name}"`);
    if (annotations[selectedNode] !== node) throw new Error(`provisioning failed for PVC "${name}"`);
    if (!claim.spec.volumeName) return false;
    const volume = objects.volumes.stored(claim.spec.volumeName);
    if (volume === undefined) return false;
    checkNode(volume);
    return isFullyBound(claim);
  }

  function checkNode(volume: PersistentVolume): void {
    const info = cluster.node(node);
    if (info === undefined) throw new Error(`failed to get node "${node}": node "${node}" not found`);
    if (!isBoundUsableOn(volume, info, objects))
      throw new Error(
        `pv "${volume.metadata.name}" node affinity doesn't match node "${node}": no matching NodeSelectorTerms`,
      );
  }
}

const typed = <T extends object>(object: T, kind: string): object => ({ apiVersion: 'v1', kind, ...object });
