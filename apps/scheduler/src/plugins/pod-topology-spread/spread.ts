import { deepEqual } from '@annex/machinery';
import type { PodTopologySpreadArgs } from '../../config/types.ts';
import type { EventRegistration } from '../../framework/cluster-event.ts';
import { TimeSlice } from '../../cycle/time-slice.ts';
import { StateKey } from '../../framework/cycle.ts';
import { builtInPlugin } from '../../framework/plugin.ts';
import { unresolvable, unschedulable } from '../../framework/status.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import { isPlaced } from '../placed.ts';
import { type Constraint, countMatching, hasAllKeys, isIncluded, SpreadConstraints } from './constraints.ts';
import { spreadScores } from './scores.ts';

const reason = "node(s) didn't match pod topology spread constraints";
const tooSkewed = unschedulable(reason);
const noLabel = unresolvable(`${reason} (missing required label)`);

/** The number of matching Pods in each domain, for each constraint. */
interface SpreadState {
  constraints: readonly Constraint[];
  counts: readonly Map<string, number>[];
  /** The lowest number of each constraint; absent until it is needed, or after a change. */
  lowest: (number | undefined)[];
  /** 1 for a constraint that counts the Pod itself, or else 0. */
  own: readonly number[];
}

const stateKey = new StateKey<SpreadState>('PodTopologySpread', ({ constraints, counts, lowest, own }) => ({
  constraints,
  counts: counts.map((count) => new Map(count)),
  lowest: [...lowest],
  own,
}));

/** Refuses nodes that would make the distribution of Pods over domains too uneven, and prefers those that make it even. */
export const podTopologySpread = builtInPlugin<PodTopologySpreadArgs>('PodTopologySpread', (args, handle) => {
  const { cluster } = handle;
  const constraintsOf = new SpreadConstraints(args, handle);
  const count = (state: SpreadState, pod: PodInfo, other: PodInfo, node: NodeInfo, change: 1 | -1) => {
    const { constraints, counts } = state;
    if (other.namespace !== pod.namespace || !hasAllKeys(node, constraints)) return;
    for (const [i, constraint] of constraints.entries()) {
      if (!constraint.selector.matches(other.labels) || !isIncluded(constraint, pod, node)) continue;
      const value = node.labels.get(constraint.topologyKey) ?? '';
      counts[i]?.set(value, (counts[i].get(value) ?? 0) + change);
      state.lowest[i] = undefined;
    }
  };
  return {
    async preFilter(cycle, pod) {
      const constraints = constraintsOf.of(pod, 'DoNotSchedule');
      if (constraints.length === 0) return 'skip';
      const counts = await countDomains(constraints, pod, cluster.nodes);
      const own = constraints.map(({ selector }) => (selector.matches(pod.labels) ? 1 : 0));
      cycle.write(stateKey, { constraints, counts, lowest: [], own });
      return undefined;
    },
    addPod(cycle, pod, other, node) {
      const state = cycle.read(stateKey);
      if (state !== undefined) count(state, pod, other, node, 1);
    },
    removePod(cycle, pod, other, node) {
      const state = cycle.read(stateKey);
      if (state !== undefined) count(state, pod, other, node, -1);
    },
    filter(cycle, _pod, node) {
      const state = cycle.read(stateKey);
      if (state === undefined) return undefined;
      for (const [i, constraint] of state.constraints.entries()) {
        const value = node.labels.get(constraint.topologyKey);
        if (value === undefined) return noLabel;
        const domains = state.counts[i] ?? new Map<string, number>();
        const lowest = (state.lowest[i] ??= lowestOf(domains, constraint));
        if ((domains.get(value) ?? 0) + (state.own[i] ?? 0) - lowest > constraint.maxSkew) return tooSkewed;
      }
      return undefined;
    },
    ...spreadScores(cluster, constraintsOf),
    events: eventsOf((pod) => constraintsOf.of(pod, 'DoNotSchedule')),
  };
});

async function countDomains(
  constraints: readonly Constraint[],
  pod: PodInfo,
  nodes: readonly NodeInfo[],
): Promise<Map<string, number>[]> {
  const slice = new TimeSlice();
  const counts = constraints.map(() => new Map<string, number>());
  for (const node of nodes) {
    if (slice.isOver) await slice.pause();
    if (!hasAllKeys(node, constraints)) continue;
    for (const [i, constraint] of constraints.entries()) {
      if (!isIncluded(constraint, pod, node)) continue;
      const value = node.labels.get(constraint.topologyKey) ?? '';
      const found = countMatching(node, constraint.selector, pod.namespace);
      counts[i]?.set(value, (counts[i].get(value) ?? 0) + found);
    }
  }
  return counts;
}

/** Returns the lowest number of Pods in a domain; 0 while there are too few domains. */
function lowestOf(domains: Map<string, number>, { minDomains }: Constraint): number {
  if (domains.size < minDomains) return 0;
  let value = 2 ** 31 - 1;
  for (const count of domains.values()) if (count < value) value = count;
  return value;
}

/** What may help a refused Pod: other Pods that match, and nodes that begin or end to count. */
function eventsOf(constraintsOf: (pod: PodInfo) => readonly Constraint[]): readonly EventRegistration[] {
  const isInvolved = (other: PodInfo, pod: PodInfo) =>
    other.uid === pod.uid || (isPlaced(other) && other.namespace === pod.namespace);
  return [
    {
      resource: 'Pod',
      actions: ['Add', 'UpdatePodLabel', 'UpdatePodToleration', 'Delete'],
      hint(pod: PodInfo, before: PodInfo | undefined, after: PodInfo | undefined) {
        if ([before, after].some((other) => other !== undefined && !isInvolved(other, pod))) return false;
        const constraints = constraintsOf(pod);
        if (before === undefined || after === undefined) {
          const other = before ?? after;
          return constraints.some(({ selector }) => selector.matches(other?.labels));
        }
        const isTolerating = after.uid === pod.uid && !deepEqual(before.tolerations, after.tolerations);
        if (isTolerating && constraints.some(({ honorsTaints }) => honorsTaints)) return true;
        return constraints.some(
          ({ selector }) => selector.matches(before.labels) !== selector.matches(after.labels),
        );
      },
    },
    {
      resource: 'Node',
      actions: ['Add', 'Delete', 'UpdateNodeLabel', 'UpdateNodeTaint'],
      hint(pod: PodInfo, before: NodeInfo | undefined, after: NodeInfo | undefined) {
        const constraints = constraintsOf(pod);
        const [had, has] = [before, after].map((node) => node !== undefined && hasAllKeys(node, constraints));
        if (before === undefined || after === undefined) return had === true || has === true;
        if (had !== has) return true;
        const isMoved = constraints.some(
          ({ topologyKey }) => before.labels.get(topologyKey) !== after.labels.get(topologyKey),
        );
        return has === true && (isMoved || !deepEqual(before.taints, after.taints));
      },
    },
  ];
}
