import { formatTime, isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import { childOf, objectsOf } from '../../shared/checks.ts';

/** Returns the condition of a new Pod that waits for its scheduling gates; none without gates. */
export function gatedConditions(spec: JsonObject, now: number): JsonObject[] {
  if (objectsOf(spec.schedulingGates).length === 0) return [];
  return [
    {
      type: 'PodScheduled',
      status: 'False',
      lastProbeTime: null,
      lastTransitionTime: formatTime(now),
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
  ];
}

/**
 * Adds what `matchLabelKeys` and `mismatchLabelKeys` mean for this Pod to the label selectors of its affinity and topology spread
 * constraints, as schedulers expect it. A missing selector selects nothing and stays missing.
 */
export function mergeLabelKeys(pod: KubeObject): void {
  const spec = childOf(pod, 'spec');
  const labels = new Map(Object.entries(pod.metadata.labels ?? {}));
  const affinity = childOf(spec, 'affinity');
  for (const kind of ['podAffinity', 'podAntiAffinity']) {
    const terms = childOf(affinity, kind);
    for (const { podAffinityTerm } of objectsOf(terms.preferredDuringSchedulingIgnoredDuringExecution))
      if (isObject(podAffinityTerm)) mergeInto(podAffinityTerm, labels);
    for (const term of objectsOf(terms.requiredDuringSchedulingIgnoredDuringExecution))
      mergeInto(term, labels);
  }
  for (const constraint of objectsOf(spec.topologySpreadConstraints)) mergeInto(constraint, labels);
}

function mergeInto(term: JsonObject, labels: ReadonlyMap<string, string>): void {
  const { labelSelector, matchLabelKeys, mismatchLabelKeys } = term;
  if (!isObject(labelSelector)) return;
  const requirements = (keys: unknown, operator: string): JsonObject[] =>
    (Array.isArray(keys) ? (keys as string[]) : []).flatMap((key) => {
      const value = labels.get(key);
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const added = [...requirements(matchLabelKeys, 'In'), ...requirements(mismatchLabelKeys, 'NotIn')];
  if (added.length > 0)
    labelSelector.matchExpressions = [...objectsOf(labelSelector.matchExpressions), ...added];
}
