import type { KubeObject, Labels } from '@annex/machinery';
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../objects/devices.ts';
import type { Node } from '../objects/node.ts';
import { type NodeImage, NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import type {
  CsiDriver,
  CsiNode,
  CsiStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '../objects/volumes.ts';
import type { PodDisruptionBudget, Selecting } from '../objects/workloads.ts';
import { byZonesInTurn, zoneOf } from './node-order.ts';
import { ObjectStore } from './object-store.ts';

/** The objects besides Pods and Nodes that plugins read. */
export class ClusterObjects {
  readonly namespaces = new ObjectStore();
  readonly services = new ObjectStore<Selecting>();
  readonly replicationControllers = new ObjectStore<Selecting>();
  readonly replicaSets = new ObjectStore<Selecting>();
  readonly statefulSets = new ObjectStore<Selecting>();
  readonly disruptionBudgets = new ObjectStore<PodDisruptionBudget>();
  readonly volumes = new ObjectStore<PersistentVolume>();
  readonly claims = new ObjectStore<PersistentVolumeClaim>();
  readonly storageClasses = new ObjectStore<StorageClass>();
  readonly csiNodes = new ObjectStore<CsiNode>();
  readonly csiDrivers = new ObjectStore<CsiDriver>();
  readonly csiCapacities = new ObjectStore<CsiStorageCapacity>();
  readonly volumeAttachments = new ObjectStore<VolumeAttachment>();
  readonly resourceClaims = new ObjectStore<ResourceClaim>();
  readonly resourceSlices = new ObjectStore<ResourceSlice>();
  readonly deviceClasses = new ObjectStore<DeviceClass>();
}

interface Assumed {
  pod: PodInfo;
  node: string;
}

/**
 * The state of the cluster as the scheduler sees it: nodes with their Pods, including Pods that are being bound. It changes between
 * scheduling cycles only, so that a cycle needs no copy.
 */
export class Cluster {
  readonly objects = new ClusterObjects();
  /** Pods of all kinds by `namespace/name`, in their last version. */
  readonly pods = new Map<string, PodInfo>();
  readonly #nodes = new Map<string, NodeInfo>();
  /** The node of every Pod that is counted, by UID. */
  readonly #placed = new Map<string, string>();
  readonly #assumed = new Map<string, Assumed>();
  /** As in kube-scheduler, the size of an image is that on the node that reported it first. */
  readonly #images = new Map<string, { nodes: number; size: number }>();
  readonly #withScoringPods = new Set<NodeInfo>();
  readonly #withAntiAffinity = new Set<NodeInfo>();
  #order: NodeInfo[] | undefined;

  /** The nodes, those of each zone in turn. */
  get nodes(): readonly NodeInfo[] {
    return (this.#order ??= byZonesInTurn([...this.#nodes.values()].filter(({ exists }) => exists)));
  }

  /** Nodes with Pods whose terms change scores of other Pods. */
  get nodesWithScoringPods(): Iterable<NodeInfo> {
    return this.#withScoringPods;
  }

  /** Nodes with Pods that have required terms of anti-affinity. */
  get nodesWithAntiAffinity(): Iterable<NodeInfo> {
    return this.#withAntiAffinity;
  }

  get assumedPods(): number {
    return this.#assumed.size;
  }

  node(name: string): NodeInfo | undefined {
    const node = this.#nodes.get(name);
    return node?.exists ? node : undefined;
  }

  readonly namespaceLabels = (namespace: string): Labels =>
    this.objects.namespaces.get(namespace)?.metadata.labels;

  setNode(node: Node): NodeInfo {
    const info = this.#nodeNamed(node.metadata.name ?? '');
    const zone = info.exists ? zoneOf(info) : undefined;
    this.#removeImages(info);
    info.setNode(node);
    this.#addImages(info);
    if (zoneOf(info) !== zone) this.#order = undefined;
    this.#index(info);
    return info;
  }

  deleteNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    this.#removeImages(info);
    info.setNode(undefined);
    this.#order = undefined;
    this.#index(info);
    if (info.pods.size === 0) this.#nodes.delete(name);
  }

  /** Counts a bound Pod on its node; replaces the same Pod, assumed or in an earlier version. */
  setPod(pod: PodInfo, node: string): void {
    this.removePod(pod);
    this.#place(pod, node);
  }

  removePod({ uid }: Pick<PodInfo, 'uid'>): void {
    this.#assumed.delete(uid);
    const name = this.#placed.get(uid);
    const info = name === undefined ? undefined : this.#nodes.get(name);
    if (info === undefined) return;
    this.#placed.delete(uid);
    info.removePod({ uid });
    this.#index(info);
    if (info.pods.size === 0 && !info.exists) this.#nodes.delete(info.name);
  }

  /** Counts a Pod on the node that was chosen for it. */
  assume(pod: PodInfo, node: string): void {
    this.#place(pod, node);
    this.#assumed.set(pod.uid, { pod, node });
  }

  /** Ends an assumption; has no effect for a Pod that is bound. */
  forget(uid: string): void {
    if (this.#assumed.has(uid)) this.removePod({ uid });
  }

  assumedNode(uid: string): string | undefined {
    return this.#assumed.get(uid)?.node;
  }

  #place(pod: PodInfo, node: string): void {
    const info = this.#nodeNamed(node);
    info.addPod(pod);
    this.#placed.set(pod.uid, node);
    this.#index(info);
  }

  #nodeNamed(name: string): NodeInfo {
    const found = this.#nodes.get(name);
    if (found !== undefined) return found;
    const created = new NodeInfo(name);
    this.#nodes.set(name, created);
    return created;
  }

  #index(info: NodeInfo): void {
    if (info.exists && info.scoringPods.size > 0) this.#withScoringPods.add(info);
    else this.#withScoringPods.delete(info);
    if (info.exists && info.podsWithRequiredAntiAffinity.size > 0) this.#withAntiAffinity.add(info);
    else this.#withAntiAffinity.delete(info);
  }

  #addImages(info: NodeInfo): void {
    const images = new Map<string, NodeImage>();
    for (const { names, sizeBytes = 0 } of info.node.status?.images ?? [])
      for (const name of names ?? []) {
        if (images.has(name)) continue;
        const spread = this.#images.get(name) ?? { nodes: 0, size: sizeBytes };
        spread.nodes++;
        this.#images.set(name, spread);
        images.set(name, { size: spread.size, spread });
      }
    info.images = images;
  }

  #removeImages(info: NodeInfo): void {
    for (const [name, { spread }] of info.images) if (--spread.nodes === 0) this.#images.delete(name);
    info.images = new Map();
  }
}

/** Returns the kube object of any store's entry by its owner reference. */
export const controllerOf = ({ metadata }: KubeObject) =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);
