import type { Cluster } from '../../cache/cluster.ts';
import type { InterPodAffinityArgs } from '../../config/types.ts';
import { TimeSlice } from '../../cycle/time-slice.ts';
import { StateKey } from '../../framework/cycle.ts';
import type { Plugin } from '../../framework/plugin.ts';
import type { AffinityTerm } from '../../objects/affinity-term.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import { TopologyCounts } from './topology-counts.ts';

const stateKey = new StateKey<TopologyCounts>('InterPodAffinity scores');

/** The functions of the plugin that score: by the preferred terms of the Pod and of the Pods that exist. */
export function affinityScores(
  cluster: Cluster,
  { hardPodAffinityWeight, ignorePreferredTermsOfExistingPods }: InterPodAffinityArgs,
): Pick<Plugin, 'preScore' | 'score' | 'normalize'> {
  const addTerms = (
    scores: TopologyCounts,
    terms: readonly AffinityTerm[],
    selected: PodInfo,
    node: NodeInfo,
    weightOf: (term: AffinityTerm) => number,
  ) => {
    for (const term of terms)
      if (term.matches(selected, cluster.namespaceLabels)) scores.add(node, term.topologyKey, weightOf(term));
  };
  const weight = (term: AffinityTerm) => term.weight;
  const negative = (term: AffinityTerm) => -term.weight;
  const addExisting = (scores: TopologyCounts, pod: PodInfo, other: PodInfo, node: NodeInfo) => {
    addTerms(scores, pod.terms.preferredAffinity, other, node, weight);
    addTerms(scores, pod.terms.preferredAntiAffinity, other, node, negative);
    if (hardPodAffinityWeight > 0)
      addTerms(scores, other.terms.requiredAffinity, pod, node, () => hardPodAffinityWeight);
    addTerms(scores, other.terms.preferredAffinity, pod, node, weight);
    addTerms(scores, other.terms.preferredAntiAffinity, pod, node, negative);
  };
  return {
    async preScore(cycle, pod) {
      const slice = new TimeSlice();
      const { preferredAffinity, preferredAntiAffinity } = pod.terms;
      const hasTerms = preferredAffinity.length > 0 || preferredAntiAffinity.length > 0;
      if (ignorePreferredTermsOfExistingPods && !hasTerms) return 'skip';
      const scores = new TopologyCounts();
      for (const node of hasTerms ? cluster.nodes : cluster.nodesWithScoringPods)
        for (const other of (hasTerms ? node.pods : node.scoringPods).values()) {
          addExisting(scores, pod, other, node);
          if (slice.isOverAfterStep()) await slice.pause();
        }
      if (scores.isEmpty) return 'skip';
      cycle.write(stateKey, scores);
      return undefined;
    },
    score: (cycle, _pod, node) => cycle.read(stateKey)?.sumOn(node) ?? 0,
    normalize(_cycle, _pod, scores) {
      const [lowest, highest] = [Math.min(...scores), Math.max(...scores)];
      const range = highest - lowest;
      for (const [i, score] of scores.entries())
        scores[i] = range > 0 ? Math.trunc(100 * ((score - lowest) / range)) : 0;
    },
  };
}
