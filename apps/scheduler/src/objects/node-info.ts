import { UsedPorts } from './host-ports.ts';
import type { Node, Taint } from './node.ts';
import { claimKeysOf, type PodInfo } from './pod-info.ts';
import { addAll, type Amounts, amountsOf } from './resources.ts';

/** An image on a node; the number of nodes that have it is shared by all of them. */
export interface NodeImage {
  readonly size: number;
  readonly spread: { nodes: number };
}

const noNode: Node = { metadata: {} };

/** A node with the Pods that are bound to it or assumed on it, and their sums. */
export class NodeInfo {
  node: Node = noNode;
  name: string;
  labels: ReadonlyMap<string, string> = new Map();
  taints: readonly Taint[] = [];
  allocatable: Amounts = new Map();
  allowedPods = 0;
  images: ReadonlyMap<string, NodeImage> = new Map();
  /** Sums of the requests. */
  requested: Amounts = new Map();
  /** Sums with what is assumed for containers without requests. */
  assumedCpu = 0;
  assumedMemory = 0;
  readonly pods: Map<string, PodInfo>;
  /** Pods whose terms change scores of other Pods. */
  readonly scoringPods: Map<string, PodInfo>;
  readonly podsWithRequiredAntiAffinity: Map<string, PodInfo>;
  readonly claimUses: Map<string, number>;
  ports = new UsedPorts();

  constructor(name: string, from?: NodeInfo) {
    this.name = name;
    this.pods = new Map(from?.pods);
    this.scoringPods = new Map(from?.scoringPods);
    this.podsWithRequiredAntiAffinity = new Map(from?.podsWithRequiredAntiAffinity);
    this.claimUses = new Map(from?.claimUses);
  }

  /** False while Pods name a node that does not exist. */
  get exists(): boolean {
    return this.node !== noNode;
  }

  setNode(node: Node | undefined): void {
    this.node = node ?? noNode;
    const { metadata, spec, status } = this.node;
    this.labels = new Map(Object.entries(metadata.labels ?? {}));
    this.taints = spec?.taints ?? [];
    this.allocatable = amountsOf(status?.allocatable);
    this.allowedPods = this.allocatable.get('pods') ?? 0;
  }

  addPod(pod: PodInfo): void {
    if (this.pods.has(pod.uid)) return;
    this.pods.set(pod.uid, pod);
    if (pod.scoresOthers) this.scoringPods.set(pod.uid, pod);
    if (pod.terms.requiredAntiAffinity.length > 0) this.podsWithRequiredAntiAffinity.set(pod.uid, pod);
    this.#count(pod, 1);
  }

  /** Removes the Pod with this UID, as it was added. */
  removePod({ uid }: Pick<PodInfo, 'uid'>): void {
    const pod = this.pods.get(uid);
    if (pod === undefined) return;
    this.pods.delete(uid);
    this.scoringPods.delete(uid);
    this.podsWithRequiredAntiAffinity.delete(uid);
    this.#count(pod, -1);
  }

  /** Returns a copy for what-if questions. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.name, this);
    const { node, labels, taints, allocatable, allowedPods, images, assumedCpu, assumedMemory } = this;
    Object.assign(copy, {
      node,
      labels,
      taints,
      allocatable,
      allowedPods,
      images,
      assumedCpu,
      assumedMemory,
    });
    copy.requested = new Map(this.requested);
    copy.ports = this.ports.clone();
    return copy;
  }

  #count(pod: PodInfo, sign: 1 | -1): void {
    addAll(this.requested, pod.requests, sign);
    this.assumedCpu += sign * pod.assumedCpu;
    this.assumedMemory += sign * pod.assumedMemory;
    for (const port of pod.hostPorts) {
      if (sign > 0) this.ports.add(port);
      else this.ports.remove(port);
    }
    for (const claim of claimKeysOf(pod.pod)) {
      const uses = (this.claimUses.get(claim) ?? 0) + sign;
      if (uses > 0) this.claimUses.set(claim, uses);
      else this.claimUses.delete(claim);
    }
  }
}
