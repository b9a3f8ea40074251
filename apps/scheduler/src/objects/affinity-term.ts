import { compileLabelSelector, LabelSelector, type Labels } from '@annex/machinery';
import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from './pod.ts';

/** The part of a Pod that terms of other Pods select. */
export interface SelectablePod {
  readonly namespace: string;
  readonly labels: Labels;
}

/** A compiled term of Pod affinity or anti-affinity. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly weight: number;
  /** `namespaceLabels` are the labels of the namespace of the Pod. */
  matches(pod: SelectablePod, namespaceLabels: (namespace: string) => Labels): boolean;
}

/** Compiles terms; a term that selects nothing by namespaces selects in the namespace of its Pod. */
export const compileTerms = (pod: Pod, terms: readonly PodAffinityTerm[] = []): AffinityTerm[] =>
  terms.map((term) => compileTerm(pod, term, 0));

export const compileWeightedTerms = (
  pod: Pod,
  terms: readonly WeightedPodAffinityTerm[] = [],
): AffinityTerm[] => terms.map(({ weight, podAffinityTerm }) => compileTerm(pod, podAffinityTerm, weight));

function compileTerm(pod: Pod, term: PodAffinityTerm, weight: number): AffinityTerm {
  const named = term.namespaces ?? [];
  const isOwnOnly = named.length === 0 && term.namespaceSelector === undefined;
  const namespaces = new Set(isOwnOnly ? [pod.metadata.namespace ?? ''] : named);
  const byLabels = compiled(term.namespaceSelector);
  const selector = compiled(term.labelSelector);
  return {
    topologyKey: term.topologyKey,
    weight,
    matches(other, namespaceLabels) {
      const isSelected =
        namespaces.has(other.namespace) ||
        (term.namespaceSelector !== undefined && byLabels.matches(namespaceLabels(other.namespace) ?? {}));
      return isSelected && selector.matches(other.labels);
    },
  };
}

/** Compiles a selector that the API server has validated; an invalid one matches nothing. */
export function compiled(selector: Parameters<typeof compileLabelSelector>[0]): LabelSelector {
  try {
    return compileLabelSelector(selector);
  } catch {
    return LabelSelector.nothing;
  }
}
