import type { Cluster } from '../../cache/cluster.ts';
import type { Allocation } from '../../objects/devices.ts';
import { AllocatedState } from './allocated-state.ts';

/** Allocations that were decided and are not in the cache yet. */
export class PendingAllocations {
  static readonly #ofCluster = new WeakMap<Cluster, PendingAllocations>();
  readonly #cluster: Cluster;
  /** By the UID of the claim, or that of the Pod for claims that do not exist yet. */
  readonly #pending = new Map<string, Allocation>();

  private constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** All profiles of a scheduler share them. */
  static of(cluster: Cluster): PendingAllocations {
    const known = PendingAllocations.#ofCluster.get(cluster) ?? new PendingAllocations(cluster);
    PendingAllocations.#ofCluster.set(cluster, known);
    return known;
  }

  add(key: string, allocation: Allocation): void {
    this.#pending.set(key, allocation);
  }

  has(key: string): boolean {
    return this.#pending.has(key);
  }

  /** Returns whether there was one. */
  delete(key: string): boolean {
    return this.#pending.delete(key);
  }

  /** Returns the devices that are given to claims; `sharing` as for {@link AllocatedState}. */
  allocated(sharing: boolean): AllocatedState {
    const state = new AllocatedState(sharing);
    for (const { status } of this.#cluster.objects.resourceClaims.values())
      if (status?.allocation !== undefined) state.add(status.allocation);
    for (const allocation of this.#pending.values()) state.add(allocation);
    return state;
  }
}
