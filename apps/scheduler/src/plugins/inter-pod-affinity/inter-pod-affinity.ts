import type { InterPodAffinityArgs } from '../../config/types.ts';
import type { EventRegistration } from '../../framework/cluster-event.ts';
import { TimeSlice } from '../../cycle/time-slice.ts';
import { StateKey } from '../../framework/cycle.ts';
import type { Handle } from '../../framework/handle.ts';
import { builtInPlugin } from '../../framework/plugin.ts';
import { unresolvable, unschedulable } from '../../framework/status.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import { isPlaced } from '../placed.ts';
import { affinityScores } from './scores.ts';
import { matchesAll, TopologyCounts } from './topology-counts.ts';

const noAffinity = unresolvable("node(s) didn't match pod affinity rules");
const hasAntiAffinity = unschedulable("node(s) didn't match pod anti-affinity rules");
const isRejected = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules");

/** Pods by domain: those with anti-affinity against the Pod, and those that its own terms match. */
interface AffinityState {
  existing: TopologyCounts;
  affinity: TopologyCounts;
  antiAffinity: TopologyCounts;
}

const stateKey = new StateKey<AffinityState>('InterPodAffinity', ({ existing, affinity, antiAffinity }) => ({
  existing: existing.clone(),
  affinity: affinity.clone(),
  antiAffinity: antiAffinity.clone(),
}));

const emptyState = (): AffinityState => ({
  existing: new TopologyCounts(),
  affinity: new TopologyCounts(),
  antiAffinity: new TopologyCounts(),
});

/** Keeps Pods near to others, or away from them, by the labels of Pods. */
export const interPodAffinity = builtInPlugin<InterPodAffinityArgs>('InterPodAffinity', (args, handle) => {
  const { cluster } = handle;
  const { namespaceLabels } = cluster;
  const countExisting = (
    state: AffinityState,
    pod: PodInfo,
    other: PodInfo,
    node: NodeInfo,
    change: number,
  ) => {
    for (const term of other.terms.requiredAntiAffinity)
      if (term.matches(pod, namespaceLabels)) state.existing.add(node, term.topologyKey, change);
  };
  const countOwn = (state: AffinityState, pod: PodInfo, other: PodInfo, node: NodeInfo, change: number) => {
    const { requiredAffinity, requiredAntiAffinity } = pod.terms;
    if (matchesAll(requiredAffinity, other, namespaceLabels))
      for (const { topologyKey } of requiredAffinity) state.affinity.add(node, topologyKey, change);
    for (const term of requiredAntiAffinity)
      if (term.matches(other, namespaceLabels)) state.antiAffinity.add(node, term.topologyKey, change);
  };
  const change = (pod: PodInfo, other: PodInfo, node: NodeInfo, by: number, state?: AffinityState) => {
    if (state === undefined) return;
    countExisting(state, pod, other, node, by);
    countOwn(state, pod, other, node, by);
  };
  return {
    async preFilter(cycle, pod) {
      const slice = new TimeSlice();
      const state = emptyState();
      for (const node of cluster.nodesWithAntiAffinity)
        for (const other of node.podsWithRequiredAntiAffinity.values()) {
          countExisting(state, pod, other, node, 1);
          if (slice.isOverAfterStep()) await slice.pause();
        }
      const { requiredAffinity, requiredAntiAffinity } = pod.terms;
      const hasTerms = requiredAffinity.length > 0 || requiredAntiAffinity.length > 0;
      if (hasTerms)
        for (const node of cluster.nodes)
          for (const other of node.pods.values()) {
            countOwn(state, pod, other, node, 1);
            if (slice.isOverAfterStep()) await slice.pause();
          }
      if (!hasTerms && state.existing.isEmpty) return 'skip';
      cycle.write(stateKey, state);
      return undefined;
    },
    addPod: (cycle, pod, other, node) => change(pod, other, node, 1, cycle.read(stateKey)),
    removePod: (cycle, pod, other, node) => change(pod, other, node, -1, cycle.read(stateKey)),
    filter(cycle, pod, node) {
      const state = cycle.read(stateKey);
      if (state === undefined) return undefined;
      if (!hasRequired(state, pod, node, handle)) return noAffinity;
      if (isNearOther(state, pod, node)) return hasAntiAffinity;
      return state.existing.isPositiveOn(node) ? isRejected : undefined;
    },
    ...affinityScores(cluster, args),
    events: eventsOf(handle),
  };
});

const isNearOther = ({ antiAffinity }: AffinityState, { terms }: PodInfo, { labels }: NodeInfo): boolean =>
  terms.requiredAntiAffinity.some(({ topologyKey }) => {
    const value = labels.get(topologyKey);
    return value !== undefined && antiAffinity.get(topologyKey, value) > 0;
  });

/** A Pod whose terms match no other Pod may be the first one if they match itself. */
function hasRequired(state: AffinityState, pod: PodInfo, node: NodeInfo, { cluster }: Handle): boolean {
  const { requiredAffinity } = pod.terms;
  let isNear = true;
  for (const { topologyKey } of requiredAffinity) {
    const value = node.labels.get(topologyKey);
    if (value === undefined) return false;
    if (state.affinity.get(topologyKey, value) <= 0) isNear = false;
  }
  return isNear || (state.affinity.isEmpty && matchesAll(requiredAffinity, pod, cluster.namespaceLabels));
}

function eventsOf({ cluster }: Handle): readonly EventRegistration[] {
  const matches = (terms: Parameters<typeof matchesAll>[0], pod: PodInfo) =>
    matchesAll(terms, pod, cluster.namespaceLabels);
  return [
    {
      resource: 'Pod',
      actions: ['Add', 'UpdatePodLabel', 'Delete'],
      hint(pod: PodInfo, before: PodInfo | undefined, after: PodInfo | undefined) {
        if (before !== undefined && after?.uid === pod.uid) return true;
        if ([before, after].some((other) => other !== undefined && !isPlaced(other))) return false;
        const { requiredAffinity: near, requiredAntiAffinity: far } = pod.terms;
        if (after === undefined)
          return (
            before !== undefined && (matches(far, before) || matches(before.terms.requiredAntiAffinity, pod))
          );
        if (before === undefined) return matches(near, after);
        return (
          (!matches(near, before) && matches(near, after)) || (matches(far, before) && !matches(far, after))
        );
      },
    },
    {
      resource: 'Node',
      actions: ['Add', 'UpdateNodeLabel'],
      hint(pod: PodInfo, before: NodeInfo | undefined, after: NodeInfo) {
        const { requiredAffinity: near, requiredAntiAffinity: far } = pod.terms;
        if (before === undefined)
          return far.length > 0 || near.some(({ topologyKey }) => after.labels.has(topologyKey));
        const isChanged = (key: string) => before.labels.get(key) !== after.labels.get(key);
        return (
          near.some(({ topologyKey: key }) => after.labels.has(key) && isChanged(key)) ||
          far.some(({ topologyKey: key }) => before.labels.has(key) && isChanged(key))
        );
      },
    },
  ];
}
