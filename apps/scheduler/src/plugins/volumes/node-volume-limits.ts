import { randomUUID } from 'node:crypto';
import type { ClusterObjects } from '../../cache/cluster.ts';
import { builtInPlugin } from '../../framework/plugin.ts';
import { Status, unresolvable, unschedulable } from '../../framework/status.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import type { CsiNode, PersistentVolumeClaim } from '../../objects/volumes.ts';
import { isPlaced } from '../placed.ts';
import { claimedVolumes, claimNotFound, classOf, foreignClaimError, usesClaim } from './claims.ts';

const refusal = unschedulable('node(s) exceed max volume count');

/** Volumes that are not provisioned yet have made-up handles. */
const handlePrefix = randomUUID();

/** Drivers by the unique names of volumes. */
type Attachments = Map<string, string>;

/** Refuses nodes where a CSI driver cannot attach another volume. */
export const nodeVolumeLimits = builtInPlugin('NodeVolumeLimits', (_args, { cluster: { objects } }) => ({
  preFilter: (_cycle, { pod }) => (claimedVolumes(pod).length === 0 ? 'skip' : undefined),
  filter(_cycle, pod, node) {
    const wanted = attachmentsOf(pod, objects, true);
    if (wanted instanceof Status) return wanted;
    const limits = limitsOf(objects.csiNodes.get(node.name));
    if (wanted.size === 0 || limits.size === 0) return undefined;
    const attached: Attachments = new Map(reportedAttachments(node.name, objects));
    for (const other of node.pods.values()) {
      const found = attachmentsOf(other, objects, false);
      if (found instanceof Status) return found;
      for (const [volume, driver] of found) {
        attached.set(volume, driver);
        wanted.delete(volume);
      }
    }
    for (const [driver, limit] of limits) {
      const added = countOf(wanted, driver);
      if (added > 0 && countOf(attached, driver) + added > limit) return refusal;
    }
    return undefined;
  },
  events: [
    { resource: 'CSINode', actions: ['Add'] },
    {
      resource: 'CSINode',
      actions: ['Update'],
      hint(_pod: PodInfo, before: CsiNode, after: CsiNode) {
        const old = limitsOf(before);
        return [...limitsOf(after)].some(([driver, limit]) => limit > (old.get(driver) ?? 0));
      },
    },
    {
      resource: 'Pod',
      actions: ['Delete'],
      hint: (_pod: PodInfo, before: PodInfo) => isPlaced(before) && claimedVolumes(before.pod).length > 0,
    },
    {
      resource: 'PersistentVolumeClaim',
      actions: ['Add'],
      hint: (pod: PodInfo, _before: undefined, after: PersistentVolumeClaim) => usesClaim(pod, after),
    },
    {
      resource: 'VolumeAttachment',
      actions: ['Delete'],
      hint: ({ pod }: PodInfo) =>
        (pod.spec.volumes ?? []).some((one) => one.persistentVolumeClaim !== undefined),
    },
  ],
}));

const countOf = (attachments: Attachments, driver: string): number =>
  [...attachments.values()].filter((one) => one === driver).length;

function limitsOf(csiNode: CsiNode | undefined): Map<string, number> {
  const limits = new Map<string, number>();
  for (const { name, allocatable } of csiNode?.spec.drivers ?? [])
    if (allocatable?.count !== undefined) limits.set(name, allocatable.count);
  return limits;
}

function attachmentsOf(info: PodInfo, objects: ClusterObjects, isNew: boolean): Attachments | Status {
  const attachments: Attachments = new Map();
  const { pod, namespace } = info;
  for (const { claimName, isEphemeral } of claimedVolumes(pod)) {
    const claim = objects.claims.get(`${namespace}/${claimName}`);
    if (claim === undefined) {
      if (isNew) return unresolvable(`looking up PVC ${namespace}/${claimName}: ${claimNotFound(claimName)}`);
      continue;
    }
    const foreign = isEphemeral ? foreignClaimError(pod, claim) : undefined;
    if (foreign !== undefined) return new Status('error', [foreign]);
    const [driver, handle] = volumeOf(claim, objects);
    if (driver !== '' && handle !== '') attachments.set(`${driver}/${handle}`, driver);
  }
  return attachments;
}

/** Returns the driver and the handle of a claim's volume; of its class while there is no volume. */
function volumeOf(
  claim: PersistentVolumeClaim,
  { volumes, storageClasses }: ClusterObjects,
): [string, string] {
  const volume = volumes.get(claim.spec.volumeName ?? '');
  if (volume !== undefined) return [volume.spec.csi?.driver ?? '', volume.spec.csi?.volumeHandle ?? ''];
  const { namespace, name } = claim.metadata;
  const driver = storageClasses.get(classOf(claim))?.provisioner ?? '';
  return [driver, `${handlePrefix}-${namespace}/${name}`];
}

/** Returns the volumes that are attached to a node, also those that no Pod uses any more. */
function* reportedAttachments(node: string, objects: ClusterObjects): Generator<[string, string]> {
  for (const { spec } of objects.volumeAttachments.values()) {
    if (spec.nodeName !== node || spec.attacher === '') continue;
    const handle = objects.volumes.get(spec.source.persistentVolumeName ?? '')?.spec.csi?.volumeHandle;
    if (handle !== undefined) yield [`${spec.attacher}/${handle}`, spec.attacher];
  }
}
