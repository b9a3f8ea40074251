import type { Labels } from '@annex/machinery';
import type { AffinityTerm, SelectablePod } from '../../objects/affinity-term.ts';
import type { NodeInfo } from '../../objects/node-info.ts';

type NamespaceLabels = (namespace: string) => Labels;

/** Numbers by topology key and value. */
export class TopologyCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  get(key: string, value: string): number {
    return this.#counts.get(key)?.get(value) ?? 0;
  }

  /** Adds to the domain of a node; a node without the key has none. Domains with 0 are removed. */
  add({ labels }: NodeInfo, key: string, change: number): void {
    const value = labels.get(key);
    if (value === undefined) return;
    const values = this.#counts.get(key) ?? new Map<string, number>();
    this.#counts.set(key, values);
    const count = (values.get(value) ?? 0) + change;
    if (count === 0) values.delete(value);
    else values.set(value, count);
    if (values.size === 0) this.#counts.delete(key);
  }

  /** Returns whether one of a node's domains has a positive count. */
  isPositiveOn({ labels }: NodeInfo): boolean {
    for (const [key, values] of this.#counts) {
      const value = labels.get(key);
      if (value !== undefined && (values.get(value) ?? 0) > 0) return true;
    }
    return false;
  }

  /** Returns the sum over a node's domains. */
  sumOn({ labels }: NodeInfo): number {
    let sum = 0;
    for (const [key, values] of this.#counts) {
      const value = labels.get(key);
      if (value !== undefined) sum += values.get(value) ?? 0;
    }
    return sum;
  }

  clone(): TopologyCounts {
    const copy = new TopologyCounts();
    for (const [key, values] of this.#counts) copy.#counts.set(key, new Map(values));
    return copy;
  }
}

/** Returns whether a Pod matches every term; without terms, false. */
export const matchesAll = (
  terms: readonly AffinityTerm[],
  pod: SelectablePod,
  namespaceLabels: NamespaceLabels,
): boolean => terms.length > 0 && terms.every((term) => term.matches(pod, namespaceLabels));
