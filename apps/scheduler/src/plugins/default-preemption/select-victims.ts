import type { Cycle } from '../../framework/cycle.ts';
import type { Handle } from '../../framework/handle.ts';
import { type Status, unresolvable } from '../../framework/status.ts';
import type { NodeInfo } from '../../objects/node-info.ts';
import type { PodInfo } from '../../objects/pod-info.ts';
import { compiled } from '../../objects/affinity-term.ts';
import type { PodDisruptionBudget } from '../../objects/workloads.ts';

/** The Pods of a node that must end so that another Pod fits. */
export interface Victims {
  readonly node: string;
  /** The most important first. */
  readonly pods: readonly PodInfo[];
  readonly budgetViolations: number;
}

const noVictims = unresolvable('No preemption victims found for incoming pod');

/** The start of a Pod in milliseconds since 1970; a Pod that has not started is the youngest. */
export function startOf({ pod }: PodInfo): number {
  const time = Date.parse(pod.status?.startTime ?? '');
  return Number.isNaN(time) ? Number.MAX_SAFE_INTEGER : time;
}

/** Orders Pods: higher priorities first, then those that run longer. */
export const byImportance = (a: PodInfo, b: PodInfo): number =>
  b.priority - a.priority || startOf(a) - startOf(b);

/**
 * Returns the victims on a node: all Pods of lower priorities, without those that can stay. Pods under disruption budgets are spared first. A
 * status is the reason why no victims help.
 */
export function selectVictims(
  handle: Handle,
  cycle: Cycle,
  pod: PodInfo,
  original: NodeInfo,
): Victims | Status {
  const [what, node] = [cycle.clone(), original.clone()];
  const lower = [...node.pods.values()].filter(({ priority }) => priority < pod.priority);
  const remove = (other: PodInfo) => {
    node.removePod(other);
    handle.removePod(what, pod, other, node);
  };
  const add = (other: PodInfo) => {
    node.addPod(other);
    handle.addPod(what, pod, other, node);
  };
  for (const other of lower) remove(other);
  if (lower.length === 0) return noVictims;
  const refusal = handle.filterNode(what, pod, node);
  if (refusal !== undefined) return refusal;
  const { violating, others } = byBudgets(lower.toSorted(byImportance), [
    ...handle.cluster.objects.disruptionBudgets.values(),
  ]);
  const victims: PodInfo[] = [];
  const isSpared = (other: PodInfo): boolean => {
    add(other);
    if (handle.filterNode(what, pod, node) === undefined) return true;
    remove(other);
    victims.push(other);
    return false;
  };
  const budgetViolations = violating.filter((other) => !isSpared(other)).length;
  for (const other of others) isSpared(other);
  return { node: node.name, pods: victims.toSorted(byImportance), budgetViolations };
}

/** Splits Pods into those whose end would violate a budget, and the others. */
function byBudgets(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { violating: PodInfo[]; others: PodInfo[] } {
  const open = budgets.map((budget) => ({
    namespace: budget.metadata.namespace,
    selector: compiled(budget.spec?.selector),
    allowed: budget.status?.disruptionsAllowed ?? 0,
    disrupted: new Set(Object.keys(budget.status?.disruptedPods ?? {})),
  }));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const pod of pods) {
    let isViolation = false;
    for (const budget of open) {
      const { namespace, selector, disrupted } = budget;
      if (namespace !== pod.namespace || Object.keys(pod.labels ?? {}).length === 0) continue;
      if (selector.empty || !selector.matches(pod.labels) || disrupted.has(pod.name)) continue;
      budget.allowed--;
      isViolation ||= budget.allowed < 0;
    }
    (isViolation ? violating : others).push(pod);
  }
  return { violating, others };
}
