import { deepEqual } from '@annex/machinery';
import type { ClusterObjects } from '../../cache/cluster.ts';
import { StateKey } from '../../framework/cycle.ts';
import { builtInPlugin } from '../../framework/plugin.ts';
import { Status, unresolvable } from '../../framework/status.ts';
import { claimKeysOf, type PodInfo } from '../../objects/pod-info.ts';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../objects/volumes.ts';
import { claimNotFound, classOf } from './claims.ts';

const refusal = unresolvable('node(s) had no available volume zone');

const currentLabels = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
]);
const labels = [...currentLabels.keys(), ...currentLabels.values()];

/** The zones or regions of a volume. */
interface Topology {
  readonly key: string;
  readonly values: ReadonlySet<string>;
}

const stateKey = new StateKey<readonly Topology[]>('VolumeZone');

/** Refuses nodes in other zones than those of the labels of the Pod's volumes. */
export const volumeZone = builtInPlugin('VolumeZone', (_args, { cluster: { objects } }) => ({
  preFilter(cycle, pod) {
    const topologies = topologiesOf(pod, objects);
    if (topologies instanceof Status) return topologies;
    if (topologies.length === 0) return 'skip';
    cycle.write(stateKey, topologies);
    return undefined;
  },
  filter(cycle, _pod, node) {
    // A node without labels takes every volume.
    if (!labels.some((label) => node.labels.has(label))) return undefined;
    const fits = (cycle.read(stateKey) ?? []).every(({ key, values }) => {
      const value = node.labels.get(key) ?? node.labels.get(currentLabels.get(key) ?? key);
      return value !== undefined && values.has(value);
    });
    return fits ? undefined : refusal;
  },
  events: [
    {
      resource: 'StorageClass',
      actions: ['Add'],
      hint: (_pod: PodInfo, _before: undefined, after: StorageClass) =>
        after.volumeBindingMode === 'WaitForFirstConsumer',
    },
    { resource: 'Node', actions: ['Add', 'UpdateNodeLabel'] },
    {
      resource: 'PersistentVolumeClaim',
      actions: ['Add', 'Update'],
      hint: (pod: PodInfo, _before: PersistentVolumeClaim | undefined, { metadata }: PersistentVolumeClaim) =>
        claimKeysOf(pod.pod).includes(`${metadata.namespace}/${metadata.name}`),
    },
    {
      resource: 'PersistentVolume',
      actions: ['Add', 'Update'],
      hint: (_pod: PodInfo, before: PersistentVolume | undefined, after: PersistentVolume) =>
        before === undefined || !deepEqual(zonesOf(before), zonesOf(after)),
    },
  ],
}));

function topologiesOf(pod: PodInfo, objects: ClusterObjects): Topology[] | Status {
  const found: Topology[] = [];
  for (const key of claimKeysOf(pod.pod)) {
    const claim = objects.claims.get(key);
    if (claim === undefined) return unresolvable(claimNotFound(key.slice(pod.namespace.length + 1)));
    const volumeName = claim.spec.volumeName ?? '';
    if (volumeName === '') {
      const refused = unboundError(claim, objects);
      if (refused !== undefined) return unresolvable(refused);
      continue;
    }
    const volume = objects.volumes.get(volumeName);
    if (volume === undefined) return unresolvable(`persistentvolume "${volumeName}" not found`);
    for (const [label, value] of zonesOf(volume))
      found.push({ key: label, values: new Set(value.split('__').map((zone) => zone.trim())) });
  }
  return found;
}

function unboundError(claim: PersistentVolumeClaim, { storageClasses }: ClusterObjects): string | undefined {
  const className = classOf(claim);
  if (className === '') return 'PersistentVolumeClaim had no pv name and storageClass name';
  const storageClass = storageClasses.get(className);
  if (storageClass === undefined) return `storageclass.storage.k8s.io "${className}" not found`;
  if (storageClass.volumeBindingMode === undefined)
    return `VolumeBindingMode not set for StorageClass "${className}"`;
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer'
    ? undefined
    : 'PersistentVolume had no name';
}

const zonesOf = ({ metadata }: PersistentVolume): [string, string][] => {
  const own = new Map(Object.entries(metadata.labels ?? {}));
  return labels.flatMap((label): [string, string][] => {
    const value = own.get(label);
    return value === undefined ? [] : [[label, value]];
  });
};
