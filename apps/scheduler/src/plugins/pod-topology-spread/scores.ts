import type { Cluster } from '../../cache/cluster.ts';
import { TimeSlice } from '../../cycle/time-slice.ts';
import { StateKey } from '../../framework/cycle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import {
  type Constraint,
  countMatching,
  hasAllKeys,
  hostname,
  isIncluded,
  type SpreadConstraints,
} from './constraints.ts';

interface ScoreState {
  constraints: readonly Constraint[];
  /** Nodes without all keys: they score 0. */
  ignored: ReadonlySet<string>;
  /** Matching Pods by domain, for each constraint besides those of host names. */
  counts: readonly Map<string, number>[];
  /** Domains of which there are more weigh more. */
  weights: readonly number[];
}

const stateKey = new StateKey<ScoreState>('PodTopologySpread scores');

/** The functions of the plugin that score. */
export function spreadScores(
  cluster: Cluster,
  constraintsOf: SpreadConstraints,
): Pick<Plugin, 'preScore' | 'score' | 'normalize'> {
  return {
    async preScore(cycle, pod, nodes) {
      const constraints = constraintsOf.of(pod, 'ScheduleAnyway');
      if (constraints.length === 0) return 'skip';
      const needsAllKeys =
        (pod.pod.spec.topologySpreadConstraints ?? []).length > 0 || !constraintsOf.isSystemDefaulted;
      const state = domainsOf(constraints, nodes, needsAllKeys);
      await countPods(state, pod, cluster.nodes, needsAllKeys);
      cycle.write(stateKey, state);
      return undefined;
    },
    score(cycle, pod, node) {
      const state = cycle.read(stateKey);
      if (state === undefined || state.ignored.has(node.name)) return 0;
      let score = 0;
      for (const [i, { topologyKey, selector, maxSkew }] of state.constraints.entries()) {
        const value = node.labels.get(topologyKey);
        if (value === undefined) continue;
        const count =
          topologyKey === hostname
            ? countMatching(node, selector, pod.namespace)
            : (state.counts[i]?.get(value) ?? 0);
        score += count * (state.weights[i] ?? 0) + (maxSkew - 1);
      }
      return Math.round(score);
    },
    normalize(cycle, _pod, scores, nodes) {
      const ignored = cycle.read(stateKey)?.ignored ?? new Set();
      const counted = scores.filter((_, i) => !ignored.has(nodes[i]?.name ?? ''));
      const [lowest, highest] = [Math.min(...counted), Math.max(0, ...counted)];
      for (const [i, score] of scores.entries()) {
        if (ignored.has(nodes[i]?.name ?? '')) scores[i] = 0;
        else scores[i] = highest === 0 ? 100 : Math.trunc((100 * (highest + lowest - score)) / highest);
      }
    },
  };
}

function domainsOf(
  constraints: readonly Constraint[],
  nodes: readonly NodeInfo[],
  needsAllKeys: boolean,
): ScoreState {
  const ignored = new Set<string>();
  const counts = constraints.map(() => new Map<string, number>());
  for (const node of nodes) {
    if (needsAllKeys && !hasAllKeys(node, constraints)) {
      ignored.add(node.name);
      continue;
    }
    for (const [i, { topologyKey }] of constraints.entries())
      // A missing label is a domain as well.
      if (topologyKey !== hostname) counts[i]?.set(node.labels.get(topologyKey) ?? '', 0);
  }
  const weights = constraints.map(({ topologyKey }, i) =>
    Math.log((topologyKey === hostname ? nodes.length - ignored.size : (counts[i]?.size ?? 0)) + 2),
  );
  return { constraints, ignored, counts, weights };
}

async function countPods(
  { constraints, counts }: ScoreState,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  needsAllKeys: boolean,
): Promise<void> {
  const slice = new TimeSlice();
  for (const node of nodes) {
    if (slice.isOver) await slice.pause();
    if (needsAllKeys && !hasAllKeys(node, constraints)) continue;
    for (const [i, constraint] of constraints.entries()) {
      const value = node.labels.get(constraint.topologyKey) ?? '';
      const before = counts[i]?.get(value);
      if (before === undefined || !isIncluded(constraint, pod, node)) continue;
      counts[i]?.set(value, before + countMatching(node, constraint.selector, pod.namespace));
    }
  }
}
