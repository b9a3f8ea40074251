import { aggregateText } from '@annex/auth';
import type { NodeAffinityArgs } from '../config/types.ts';
import { builtInPlugin, type PreFilterResult } from '../framework/plugin.ts';
import { failed, unresolvable } from '../framework/status.ts';
import type { NodeInfo } from '../objects/node-info.ts';
import { compileNodeSelector, compilePreferredTerms, preferredTermErrors } from '../objects/node-selector.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import { scaleScores } from './normalize.ts';

const notMatched = unresolvable("node(s) didn't match Pod's node affinity/selector");
const notEnforced = unresolvable("node(s) didn't match scheduler-enforced node affinity");
const conflict = unresolvable('pod affinity terms conflict');

/** Refuses nodes that `nodeSelector` or node affinity do not match; prefers those of preferred terms. */
export const nodeAffinity = builtInPlugin<NodeAffinityArgs>('NodeAffinity', ({ addedAffinity }) => {
  const required = addedAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const preferred = addedAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const isEnforced = required == null ? undefined : compileNodeSelector(required);
  const addedPreference = preferred.length === 0 ? undefined : compilePreferredTerms(preferred);
  return {
    preFilter(_cycle, pod) {
      if (!pod.selectsNodes && isEnforced === undefined) return 'skip';
      return onlyNodes(pod);
    },
    filter(_cycle, pod, node) {
      if (isEnforced !== undefined && !isEnforced(node)) return notEnforced;
      return pod.matchesNode(node) ? undefined : notMatched;
    },
    preScore(_cycle, pod) {
      const terms = preferredTerms(pod);
      if (terms === undefined && addedPreference === undefined) return 'skip';
      const errors = preferredTermErrors(terms ?? []);
      return errors.length === 0 ? undefined : failed(aggregateText([...new Set(errors)]));
    },
    score: (_cycle, pod, node) => (addedPreference?.(node) ?? 0) + pod.preference(node),
    normalize: (_cycle, _pod, scores) => scaleScores(scores),
    events: [
      {
        resource: 'Node',
        actions: ['Add', 'UpdateNodeLabel'],
        hint: (pod: PodInfo, before: NodeInfo | undefined, after: NodeInfo) =>
          (isEnforced === undefined || isEnforced(after)) &&
          pod.matchesNode(after) &&
          (before === undefined || !pod.matchesNode(before)),
      },
    ],
  };
});

const preferredTerms = ({ pod }: PodInfo) =>
  pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;

/** If every term names nodes, only those need to be examined. */
function onlyNodes({ pod }: PodInfo): PreFilterResult {
  const { nodeSelectorTerms = [] } =
    pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  if (nodeSelectorTerms.length === 0) return undefined;
  const nodes = new Set<string>();
  for (const { matchFields = [] } of nodeSelectorTerms) {
    const named = matchFields
      .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
      .map(({ values = [] }) => new Set(values));
    const [first, ...others] = named;
    if (first === undefined) return undefined;
    for (const name of others.reduce((all, one) => all.intersection(one), first)) nodes.add(name);
  }
  return nodes.size === 0 ? conflict : { nodes };
}
