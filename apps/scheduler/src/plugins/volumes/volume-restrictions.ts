import { StateKey } from '../../framework/cycle.ts';
import { builtInPlugin } from '../../framework/plugin.ts';
import { unresolvable, unschedulable } from '../../framework/status.ts';
import type { Pod, Volume } from '../../objects/pod.ts';
import { claimKeysOf, type PodInfo } from '../../objects/pod-info.ts';
import type { PersistentVolumeClaim } from '../../objects/volumes.ts';
import { claimNotFound } from './claims.ts';

const diskConflict = unschedulable('node(s) had no available disk');
const exclusiveClaim = unschedulable(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);

/** Claims of the Pod that only one Pod may use, and how many of them others use. */
interface ExclusiveClaims {
  names: ReadonlySet<string>;
  conflicts: number;
}

const stateKey = new StateKey<ExclusiveClaims>('VolumeRestrictions', (state) => ({ ...state }));

/** Refuses nodes where another Pod uses a disk of the Pod, and Pods whose exclusive claim is in use. */
export const volumeRestrictions = builtInPlugin('VolumeRestrictions', (_args, { cluster }) => {
  const count = (state: ExclusiveClaims | undefined, other: PodInfo, change: 1 | -1) => {
    if (state === undefined) return;
    for (const { persistentVolumeClaim: claim } of other.pod.spec.volumes ?? [])
      // As in kube-scheduler, by name only.
      if (claim !== undefined && state.names.has(claim.claimName)) state.conflicts += change;
  };
  return {
    preFilter(cycle, pod) {
      const names = new Set<string>();
      let conflicts = 0;
      for (const key of claimKeysOf(pod.pod)) {
        const claim = cluster.objects.claims.get(key);
        const name = key.slice(pod.namespace.length + 1);
        if (claim === undefined) return unresolvable(claimNotFound(name));
        if (!claim.spec.accessModes?.includes('ReadWriteOncePod')) continue;
        if (!names.has(name) && cluster.nodes.some(({ claimUses }) => claimUses.has(key))) conflicts++;
        names.add(name);
      }
      if (conflicts === 0 && !(pod.pod.spec.volumes ?? []).some(isDisk)) return 'skip';
      cycle.write(stateKey, { names, conflicts });
      return undefined;
    },
    addPod: (cycle, _pod, other) => count(cycle.read(stateKey), other, 1),
    removePod: (cycle, _pod, other) => count(cycle.read(stateKey), other, -1),
    filter(cycle, pod, node) {
      for (const other of node.pods.values()) if (shareDisk(pod.pod, other.pod)) return diskConflict;
      return (cycle.read(stateKey)?.conflicts ?? 0) > 0 ? exclusiveClaim : undefined;
    },
    events: [
      {
        resource: 'Pod',
        actions: ['Delete'],
        hint(pod: PodInfo, before: PodInfo) {
          if (before.namespace !== pod.namespace) return false;
          const claims = new Set(claimKeysOf(pod.pod));
          return shareDisk(pod.pod, before.pod) || claimKeysOf(before.pod).some((key) => claims.has(key));
        },
      },
      { resource: 'Node', actions: ['Add'] },
      {
        resource: 'PersistentVolumeClaim',
        actions: ['Add'],
        hint: (pod: PodInfo, _before: undefined, { metadata }: PersistentVolumeClaim) =>
          claimKeysOf(pod.pod).includes(`${metadata.namespace}/${metadata.name}`),
      },
    ],
  };
});

const isDisk = ({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: Volume): boolean =>
  [gcePersistentDisk, awsElasticBlockStore, iscsi, rbd].some((disk) => disk !== undefined);

const shareDisk = ({ spec }: Pod, other: Pod): boolean =>
  (spec.volumes ?? []).some(
    (volume) => isDisk(volume) && (other.spec.volumes ?? []).some((second) => isSameDisk(volume, second)),
  );

/** Read-only mounts share a disk, except for those of AWS. */
function isSameDisk(a: Volume, b: Volume): boolean {
  const isShared = (one?: { readOnly?: boolean }, two?: { readOnly?: boolean }) =>
    one?.readOnly === true && two?.readOnly === true;
  const [gce, gceOther] = [a.gcePersistentDisk, b.gcePersistentDisk];
  if (gce && gceOther && gce.pdName === gceOther.pdName && !isShared(gce, gceOther)) return true;
  const [aws, awsOther] = [a.awsElasticBlockStore, b.awsElasticBlockStore];
  if (aws && awsOther && aws.volumeID === awsOther.volumeID) return true;
  const [iscsi, iscsiOther] = [a.iscsi, b.iscsi];
  if (iscsi && iscsiOther && iscsi.iqn === iscsiOther.iqn && !isShared(iscsi, iscsiOther)) return true;
  const [rbd, rbdOther] = [a.rbd, b.rbd];
  if (!rbd || !rbdOther || rbd.image !== rbdOther.image || (rbd.pool ?? '') !== (rbdOther.pool ?? ''))
    return false;
  const hasCommon = (rbd.monitors ?? []).some((monitor) => rbdOther.monitors?.includes(monitor));
  return hasCommon && !isShared(rbd, rbdOther);
}
