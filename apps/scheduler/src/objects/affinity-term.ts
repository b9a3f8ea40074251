import { compileLabelSelector, LabelSelector, type Labels } from '@annex/machinery';
import type { PodAffinityTerm, WeightedPodAffinityTerm } from './pod.ts';
import { Remembered } from './remembered.ts';

/** The part of a Pod that terms of other Pods select. */
export interface SelectablePod {
  readonly namespace: string;
  readonly labels: Labels;
  /** The same object for Pods of one namespace with the same labels; {@link identityOf}. */
  readonly identity: object;
}

/** Kinds of Pods, by their namespaces and labels, and results of a term for as many of them. */
const rememberedIdentities = 10_000;
const rememberedMatches = 1_000;

const identities = new Remembered<string, object>(rememberedIdentities);

/** Returns the identity of Pods in this namespace with these labels. Most of them share a few. */
export const identityOf = (namespace: string, labels: Labels): object =>
  identities.get(JSON.stringify([namespace, labels]), () => ({}));

/** A compiled term of Pod affinity or anti-affinity. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly weight: number;
  /** `namespaceLabels` are the labels of the namespace of the Pod. */
  matches(pod: SelectablePod, namespaceLabels: (namespace: string) => Labels): boolean;
}

/** Compiles terms; a term that selects nothing by namespaces selects in the namespace of its Pod. */
export const compileTerms = (namespace: string, terms: readonly PodAffinityTerm[] = []): AffinityTerm[] =>
  terms.map((term) => compileTerm(namespace, term, 0));

export const compileWeightedTerms = (
  namespace: string,
  terms: readonly WeightedPodAffinityTerm[] = [],
): AffinityTerm[] =>
  terms.map(({ weight, podAffinityTerm }) => compileTerm(namespace, podAffinityTerm, weight));

function compileTerm(namespace: string, term: PodAffinityTerm, weight: number): AffinityTerm {
  const named = term.namespaces ?? [];
  const isOwnOnly = named.length === 0 && term.namespaceSelector === undefined;
  const namespaces = new Set(isOwnOnly ? [namespace] : named);
  const byLabels = compiled(term.namespaceSelector);
  const selector = compiled(term.labelSelector);
  const matches: AffinityTerm['matches'] = (other, namespaceLabels) => {
    const isSelected =
      namespaces.has(other.namespace) ||
      (term.namespaceSelector !== undefined && byLabels.matches(namespaceLabels(other.namespace) ?? {}));
    return isSelected && selector.matches(other.labels);
  };
  // Labels of namespaces change, those of one version of a Pod do not.
  const isConstant = term.namespaceSelector === undefined;
  return { topologyKey: term.topologyKey, weight, matches: isConstant ? remembering(matches) : matches };
}

function remembering(matches: AffinityTerm['matches']): AffinityTerm['matches'] {
  const known = new Remembered<object, boolean>(rememberedMatches);
  return (other, namespaceLabels) => known.get(other.identity, () => matches(other, namespaceLabels));
}

/** Compiles a selector that the API server has validated; an invalid one matches nothing. */
export function compiled(selector: Parameters<typeof compileLabelSelector>[0]): LabelSelector {
  try {
    return compileLabelSelector(selector);
  } catch {
    return LabelSelector.nothing;
  }
}
