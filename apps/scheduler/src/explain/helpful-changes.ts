import type { Cluster } from '../cache/cluster.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import { adviceOf } from './advice.ts';
import type { NodeExplanation } from './explain-pod.ts';

const shownNodes = 3;

/** Returns what would have to change so that a refused Pod fits, by the plugins that refused it; most nodes first. */
export function helpfulChanges(
  pod: PodInfo,
  refusals: readonly NodeExplanation[],
  cluster: Pick<Cluster, 'node'>,
): string[] {
  const byPlugin = new Map<string, Pick<NodeExplanation, 'node' | 'reasons'>[]>();
  const add = (plugin: string, refusal: Pick<NodeExplanation, 'node' | 'reasons'>) =>
    byPlugin.set(plugin, [...(byPlugin.get(plugin) ?? []), refusal]);
  for (const refusal of refusals) {
    for (const plugin of (refusal.refusedBy ?? '').split(', ')) add(plugin, refusal);
    for (const { plugin, reasons } of refusal.alsoRefusedBy ?? [])
      add(plugin, { node: refusal.node, reasons });
  }
  const changes = [...byPlugin]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([plugin, own]) => {
      const nodes = own.flatMap(({ node }) => cluster.node(node) ?? []);
      const reasons = new Set(own.flatMap(({ reasons = [] }) => reasons));
      return `${plugin} (${own.length} of ${refusals.length} nodes): ${adviceOf(plugin, { pod, nodes, reasons })}`;
    });
  const possible = refusals
    .filter(({ isPreemptionPossible }) => isPreemptionPossible)
    .map(({ node }) => node);
  if (possible.length === 0) return changes;
  const others = possible.length > shownNodes ? ' and others' : '';
  return [...changes, `the end of other Pods on ${possible.slice(0, shownNodes).join(', ')}${others}`];
}
