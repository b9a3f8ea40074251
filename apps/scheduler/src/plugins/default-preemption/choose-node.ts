import type { PodInfo } from '../../objects/pod-info.ts';
import { startOf, type Victims } from './select-victims.ts';

// Priorities are shifted to be positive, so that fewer victims have the smaller sum.
const shift = 2 ** 31;

const sum = (pods: readonly PodInfo[]): number =>
  pods.reduce((total, { priority }) => total + priority + shift, 0);

/** The start of the victim of the highest priority that runs longest. */
function earliestStart(pods: readonly PodInfo[]): number {
  const highest = Math.max(...pods.map(({ priority }) => priority));
  return Math.min(...pods.filter(({ priority }) => priority === highest).map(startOf));
}

/** What makes a node the better choice, in the order of comparison; lower is better. */
const costs: readonly ((victims: Victims) => number)[] = [
  ({ budgetViolations }) => budgetViolations,
  ({ pods }) => pods[0]?.priority ?? 0,
  ({ pods }) => sum(pods),
  ({ pods }) => pods.length,
  ({ pods }) => -earliestStart(pods),
];

/** Returns the node whose victims matter least. */
export function chooseNode(candidates: readonly Victims[]): Victims | undefined {
  let best = candidates;
  for (const cost of costs) {
    const lowest = Math.min(...best.map(cost));
    best = best.filter((one) => cost(one) === lowest);
    if (best.length === 1) break;
  }
  return best[0];
}
