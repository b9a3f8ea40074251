import { randomUUID } from 'node:crypto';
import type { ClusterObjects } from '../../cache/cluster.ts';
import { builtInPlugin } from '../../framework/plugin.ts';
import { Status, unresolvable, unschedulable } from '../../framework/status.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import type { Pod } from '../../objects/pod.ts';
import type { CsiNode, PersistentVolumeClaim, VolumeAttachment } from '../../objects/volumes.ts';
import { isPlaced } from '../placed.ts';
import {
  driverOfInlineVolume,
  driverOfProvisioner,
  type DriverVolume,
  isInlineMigratable,
  translatedInlineVolume,
  translatedVolume,
} from './csi-migration.ts';
import { claimedVolumes, claimNotFound, classOf, foreignClaimError, usesClaim } from './claims.ts';

const refusal = unschedulable('node(s) exceed max volume count');

/** Volumes that are not provisioned yet have made-up handles. */
const handlePrefix = randomUUID();

/** Drivers by the unique names of volumes. */
type Attachments = Map<string, string>;

/** Refuses nodes where a CSI driver cannot attach another volume. */
export const nodeVolumeLimits = builtInPlugin('NodeVolumeLimits', (_args, { cluster: { objects } }) => ({
  preFilter: (_cycle, { pod }) => (mayAttach(pod) ? undefined : 'skip'),
  filter(_cycle, pod, node) {
    const csiNode = objects.csiNodes.get(node.name);
    const wanted = attachmentsOf(pod, objects, csiNode, true);
    if (wanted instanceof Status) return wanted;
    const limits = limitsOf(csiNode);
    if (wanted.size === 0 || limits.size === 0) return undefined;
    const attached: Attachments = new Map(reportedAttachments(node.name, objects));
    for (const other of node.pods.values()) {
      const found = attachmentsOf(other, objects, csiNode, false);
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
      hint: (_pod: PodInfo, before: PodInfo) => isPlaced(before) && mayAttach(before.pod),
    },
    {
      resource: 'PersistentVolumeClaim',
      actions: ['Add'],
      hint: (pod: PodInfo, _before: undefined, after: PersistentVolumeClaim) => usesClaim(pod, after),
    },
    {
      resource: 'VolumeAttachment',
      actions: ['Delete'],
      hint: ({ pod }: PodInfo, before: VolumeAttachment) =>
        (pod.spec.volumes ?? []).some(
          (one) =>
            one.persistentVolumeClaim !== undefined || driverOfInlineVolume(one) === before.spec.attacher,
        ),
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

/** Returns whether a Pod has volumes that a driver may have to attach. */
const mayAttach = (pod: Pod): boolean =>
  claimedVolumes(pod).length > 0 || (pod.spec.volumes ?? []).some(isInlineMigratable);

function attachmentsOf(
  info: PodInfo,
  objects: ClusterObjects,
  csiNode: CsiNode | undefined,
  isNew: boolean,
): Attachments | Status {
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
    addVolume(attachments, volumeOf(claim, objects, csiNode));
  }
  for (const volume of pod.spec.volumes ?? [])
    addVolume(attachments, translatedInlineVolume(volume, csiNode));
  return attachments;
}

/** Returns the driver and the handle of a claim's volume; of its class while there is no volume. */
function volumeOf(
  claim: PersistentVolumeClaim,
  { volumes, storageClasses }: ClusterObjects,
  csiNode: CsiNode | undefined,
): DriverVolume | undefined {
  const volume = volumes.get(claim.spec.volumeName ?? '');
  if (volume !== undefined) {
    const { csi } = volume.spec;
    return csi === undefined
      ? translatedVolume(volume, csiNode)
      : { driver: csi.driver, handle: csi.volumeHandle };
  }
  const { namespace, name } = claim.metadata;
  const driver = driverOfProvisioner(storageClasses.get(classOf(claim))?.provisioner ?? '', csiNode);
  return driver === undefined ? undefined : { driver, handle: `${handlePrefix}-${namespace}/${name}` };
}

function addVolume(attachments: Attachments, volume: DriverVolume | undefined): void {
  if (volume === undefined || volume.driver === '' || volume.handle === '') return;
  attachments.set(`${volume.driver}/${volume.handle}`, volume.driver);
}

/** Returns the volumes that are attached to a node, also those that no Pod uses any more. */
function* reportedAttachments(node: string, objects: ClusterObjects): Generator<[string, string]> {
  for (const { spec } of objects.volumeAttachments.values()) {
    if (spec.nodeName !== node || spec.attacher === '') continue;
    const handle = objects.volumes.get(spec.source.persistentVolumeName ?? '')?.spec.csi?.volumeHandle;
    if (handle !== undefined) yield [`${spec.attacher}/${handle}`, spec.attacher];
  }
}
