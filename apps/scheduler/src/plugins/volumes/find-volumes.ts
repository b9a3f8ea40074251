import type { ClusterObjects } from '../../cache/cluster.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import { compiled } from '../../objects/affinity-term.ts';
import { amountOf } from '../../objects/resources.ts';
import type {
  CsiStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  TopologySelectorTerm,
} from '../../objects/volumes.ts';
import { classOf } from './claims.ts';
import { isBoundUsableOn, matchVolume, requestedSize } from './match-volume.ts';

/** The claims of a Pod. */
export interface PodClaims {
  bound: readonly PersistentVolumeClaim[];
  /** Claims that are bound when a node is chosen. */
  delayed: readonly PersistentVolumeClaim[];
}

/** What has to be done on a node: bind volumes to claims, and have others provisioned. */
export interface NodeVolumes {
  bindings: readonly { volume: PersistentVolume; claim: PersistentVolumeClaim }[];
  provisions: readonly PersistentVolumeClaim[];
}

const notOnNode = "node(s) didn't match PersistentVolume's node affinity";
const notFound = "node(s) didn't find available persistent volumes to bind";
const notEnough = 'node(s) did not have enough free storage';
const noVolume = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

const selectedNode = 'volume.kubernetes.io/selected-node';
const noProvisioner = 'kubernetes.io/no-provisioner';

/** Finds the volumes for a Pod on a node. Returns the reasons if there are none. Throws an Error for classes that do not exist. */
export function findVolumes(
  { bound, delayed }: PodClaims,
  node: NodeInfo,
  objects: ClusterObjects,
): NodeVolumes | readonly string[] {
  const reasons: string[] = [];
  const missing = boundReason(bound, node, objects);
  const toProvision: PersistentVolumeClaim[] = [];
  const toMatch: PersistentVolumeClaim[] = [];
  let isElsewhere = false;
  for (const claim of delayed) {
    const selected = claim.metadata.annotations?.[selectedNode];
    if (selected === undefined) toMatch.push(claim);
    else if (selected === node.name) toProvision.push(claim);
    else isElsewhere = true;
  }
  const bindings: NodeVolumes['bindings'][number][] = [];
  let provisioning: 'possible' | 'impossible' | 'full' = 'possible';
  if (!isElsewhere) {
    const taken = new Set<string>();
    for (const claim of toMatch.toSorted((a, b) => requestedSize(a) - requestedSize(b))) {
      const volume = matchVolume(claim, objects.volumes.values(), node, taken);
      if (volume === undefined) toProvision.push(claim);
      else {
        taken.add(volume.metadata.name ?? '');
        bindings.push({ volume, claim });
      }
    }
    provisioning = provisionable(toProvision, node, objects);
  }
  if (missing === notOnNode) reasons.push(notOnNode);
  if (isElsewhere || provisioning === 'impossible') reasons.push(notFound);
  if (provisioning === 'full') reasons.push(notEnough);
  if (missing === noVolume) reasons.push(noVolume);
  return reasons.length > 0 ? reasons : { bindings, provisions: toProvision };
}

function boundReason(
  claims: readonly PersistentVolumeClaim[],
  node: NodeInfo,
  objects: ClusterObjects,
): string | undefined {
  for (const { spec } of claims) {
    const volume = objects.volumes.get(spec.volumeName ?? '');
    if (volume === undefined) return noVolume;
    if (!isBoundUsableOn(volume, node, objects)) return notOnNode;
  }
  return undefined;
}

/** Returns whether volumes for claims can be provisioned for a node. */
function provisionable(
  claims: readonly PersistentVolumeClaim[],
  node: NodeInfo,
  objects: ClusterObjects,
): 'possible' | 'impossible' | 'full' {
  for (const claim of claims) {
    const className = classOf(claim);
    if (className === '')
      throw new Error(`no class for claim "${claim.metadata.namespace}/${claim.metadata.name}"`);
    const storageClass = objects.storageClasses.get(className);
    if (storageClass === undefined) throw new Error(`failed to find storage class "${className}"`);
    const { provisioner, allowedTopologies = [] } = storageClass;
    if (provisioner === '' || provisioner === noProvisioner) return 'impossible';
    if (!isAllowedOn(node, allowedTopologies)) return 'impossible';
    if (!hasCapacity(claim, storageClass, node, objects)) return 'full';
  }
  return 'possible';
}

function isAllowedOn({ labels }: NodeInfo, terms: readonly TopologySelectorTerm[]): boolean {
  if (terms.length === 0) return true;
  return terms.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key, values }) => values.includes(labels.get(key) ?? '')),
  );
}

/** Returns the largest volume of a capacity in bytes. */
export const volumeLimit = ({ maximumVolumeSize, capacity }: CsiStorageCapacity): number | undefined => {
  const text = maximumVolumeSize ?? capacity;
  return text === undefined ? undefined : amountOf('storage', text);
};

function hasCapacity(
  claim: PersistentVolumeClaim,
  { metadata, provisioner }: StorageClass,
  node: NodeInfo,
  { csiDrivers, csiCapacities }: ClusterObjects,
): boolean {
  if (claim.spec.resources?.requests?.storage === undefined) return true;
  if (csiDrivers.get(provisioner)?.spec.storageCapacity !== true) return true;
  const labels = Object.fromEntries(node.labels);
  for (const capacity of csiCapacities.values()) {
    if (capacity.storageClassName !== metadata.name || capacity.nodeTopology === undefined) continue;
    if ((volumeLimit(capacity) ?? -1) < requestedSize(claim)) continue;
    if (compiled(capacity.nodeTopology).matches(labels)) return true;
  }
  return false;
}
