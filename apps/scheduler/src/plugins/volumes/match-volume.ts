import type { ClusterObjects } from '../../cache/cluster.ts';
import type { NodeSelector } from '../../objects/pod.ts';
import { compileNodeSelector } from '../../objects/node-selector.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import { compiled } from '../../objects/affinity-term.ts';
import { amountOf } from '../../objects/resources.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../objects/volumes.ts';
import { classOf } from './claims.ts';
import { translatedNodes } from './csi-migration.ts';

const matches = (required: NodeSelector | undefined, node: NodeInfo): boolean =>
  required === undefined || compileNodeSelector(required)(node);

/** Returns whether a volume can be used on a node. */
const isUsableOn = ({ spec }: PersistentVolume, node: NodeInfo): boolean =>
  matches(spec.nodeAffinity?.required, node);

/** Returns whether a bound volume can be used on a node, also by the labels of the driver that replaces its plugin. */
export const isBoundUsableOn = (
  volume: PersistentVolume,
  node: NodeInfo,
  { csiNodes }: ClusterObjects,
): boolean => matches(translatedNodes(volume, csiNodes.get(node.name)), node);

const sizeOf = ({ spec }: PersistentVolume): number => amountOf('storage', spec.capacity?.storage ?? 0);

/** The requested size of a claim. */
export const requestedSize = ({ spec }: PersistentVolumeClaim): number =>
  amountOf('storage', spec.resources?.requests?.storage ?? 0);

/** Returns whether a volume is reserved for a claim. */
export function isReservedFor(
  { spec: { claimRef } }: PersistentVolume,
  { metadata }: PersistentVolumeClaim,
): boolean {
  if (claimRef === undefined) return false;
  if (claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return !claimRef.uid || claimRef.uid === metadata.uid;
}

/**
 * Returns the smallest volume on a node that a claim can be bound to; a volume that is reserved for the claim has priority. Source:
 * k8s.io/component-helpers.
 */
export function matchVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  node: NodeInfo,
  taken: ReadonlySet<string>,
): PersistentVolume | undefined {
  const selector = claim.spec.selector === undefined ? undefined : compiled(claim.spec.selector);
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    const { metadata, spec, status } = volume;
    if (taken.has(metadata.name ?? '') || metadata.deletionTimestamp !== undefined) continue;
    if ((claim.spec.volumeMode ?? 'Filesystem') !== (spec.volumeMode ?? 'Filesystem')) continue;
    if ((claim.spec.volumeAttributesClassName ?? '') !== (spec.volumeAttributesClassName ?? '')) continue;
    const isLargeEnough = sizeOf(volume) >= requestedSize(claim);
    if (isReservedFor(volume, claim)) {
      if (!isLargeEnough) continue;
      return isUsableOn(volume, node) ? volume : undefined;
    }
    if (status?.phase !== 'Available' || spec.claimRef !== undefined) continue;
    if (selector !== undefined && !selector.matches(metadata.labels)) continue;
    if (classOf(volume) !== classOf(claim) || !isLargeEnough || !isUsableOn(volume, node)) continue;
    if (!(claim.spec.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode))) continue;
    if (smallest === undefined || sizeOf(volume) < sizeOf(smallest)) smallest = volume;
  }
  return smallest;
}
