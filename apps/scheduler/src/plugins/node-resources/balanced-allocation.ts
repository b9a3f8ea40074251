import type { BalancedAllocationArgs } from '../../config/types.ts';
import { builtInPlugin } from '../../framework/plugin.ts';
import { isDeviceResource } from '../../objects/resources.ts';
import { deviceBackedResources } from '../dynamic-resources/device-backed.ts';
import { nodeAmounts } from './scorer.ts';

/** Prefers nodes whose use of resources becomes more even by the Pod. */
export const nodeResourcesBalancedAllocation = builtInPlugin<BalancedAllocationArgs>(
  'NodeResourcesBalancedAllocation',
  ({ resources }, handle) => {
    const backed = deviceBackedResources(handle);
    const hasExtended = resources.some(({ name }) => isDeviceResource(name));
    return {
      preScore: (_cycle, pod) =>
        resources.every(({ name }) => (pod.requests.get(name) ?? 0) === 0) ? 'skip' : undefined,
      score(cycle, pod, node) {
        const options = { isAssumed: false, ...(hasExtended && { devices: backed.amounts(cycle) }) };
        const before: number[] = [];
        const after: number[] = [];
        for (const { name } of resources) {
          const amounts = nodeAmounts(name, pod, node, options);
          if (amounts === undefined) continue;
          before.push(Math.min(1, amounts.allocated / amounts.allocatable));
          after.push(Math.min(1, amounts.requested / amounts.allocatable));
        }
        return 50 + Math.trunc((50 + evenness(after) - evenness(before)) / 2);
      },
    };
  },
);

/** Returns 100 for equal fractions, less for those with a deviation. */
function evenness(fractions: readonly number[]): number {
  return Math.trunc((1 - deviation(fractions)) * 100);
}

function deviation(fractions: readonly number[]): number {
  const [first = 0, second = 0] = fractions;
  if (fractions.length < 2) return 0;
  if (fractions.length === 2) return Math.abs((first - second) / 2);
  const mean = fractions.reduce((sum, fraction) => sum + fraction, 0) / fractions.length;
  const squares = fractions.reduce((sum, fraction) => sum + (fraction - mean) ** 2, 0);
  return Math.sqrt(squares / fractions.length);
}
