import { Status } from './status.ts';
import type { NodeStatuses } from './plugin.ts';

/** Why no node accepted a Pod. */
export class Diagnosis implements NodeStatuses {
  readonly nodes = new Map<string, Status>();
  /** The status of nodes that were not examined. */
  absent = new Status('unresolvable', []);
  /** The plugins whose refusals decided: changes that they listen to bring the Pod back. */
  readonly plugins = new Set<string>();
  readonly pendingPlugins = new Set<string>();
  preFilterMessage = '';
  postFilterMessage = '';
  totalNodes = 0;

  get(node: string): Status | undefined {
    return this.nodes.get(node) ?? this.absent;
  }

  setNode(node: string, status: Status): void {
    this.nodes.set(node, status);
    this.addPlugin(status);
  }

  addPlugin({ code, plugin }: Status): void {
    if (plugin === '') return;
    if (code === 'pending') this.pendingPlugins.add(plugin);
    else this.plugins.add(plugin);
  }

  /** Returns `0/3 nodes are available: 1 Too many pods, 2 Insufficient cpu. …`. */
  get message(): string {
    const parts = [`0/${this.totalNodes} nodes are available:`];
    if (this.preFilterMessage !== '') parts.push(`${this.preFilterMessage}.`);
    else {
      const reasons = this.#countedReasons();
      if (reasons.length > 0) parts.push(`${reasons.join(', ')}.`);
    }
    if (this.postFilterMessage !== '') parts.push(this.postFilterMessage);
    return parts.join(' ');
  }

  #countedReasons(): string[] {
    const counts = new Map<string, number>();
    const count = (status: Status, nodes: number) => {
      for (const reason of status.reasons) counts.set(reason, (counts.get(reason) ?? 0) + nodes);
    };
    for (const status of this.nodes.values()) count(status, 1);
    const absent = this.totalNodes - this.nodes.size;
    if (absent > 0) count(this.absent, absent);
    // Sorted by code units, as in Go.
    return [...counts].map(([reason, nodes]) => `${nodes} ${reason}`).toSorted();
  }
}
