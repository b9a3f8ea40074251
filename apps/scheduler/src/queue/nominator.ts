import type { PodInfo } from '../objects/pod-info.ts';

/** The Pods that preemption has promised a place, by node. */
export class Nominator {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodes = new Map<string, string>();

  on(node: string): readonly PodInfo[] {
    const pods = this.#byNode.get(node);
    return pods === undefined ? [] : [...pods.values()];
  }

  nodeOf(uid: string): string | undefined {
    return this.#nodes.get(uid);
  }

  /** Nominates a node for a Pod; without one, that of its status. */
  set(pod: PodInfo, node: string = pod.pod.status?.nominatedNodeName ?? ''): void {
    this.delete(pod.uid);
    if (node === '') return;
    this.#nodes.set(pod.uid, node);
    const pods = this.#byNode.get(node) ?? new Map<string, PodInfo>();
    this.#byNode.set(node, pods.set(pod.uid, pod));
  }

  /** Follows a new version of a Pod. A nomination that its status does not have yet is kept. */
  update(before: PodInfo | undefined, pod: PodInfo): void {
    const isInStatus = [before, pod].some((one) => (one?.pod.status?.nominatedNodeName ?? '') !== '');
    this.set(pod, isInStatus ? undefined : this.nodeOf(pod.uid));
  }

  delete(uid: string): void {
    const node = this.#nodes.get(uid);
    if (node === undefined) return;
    this.#nodes.delete(uid);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
  }
}
