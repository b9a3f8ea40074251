import type { Cycle } from '../framework/cycle.ts';
import type { Profile } from '../framework/profile.ts';
import type { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';

/** A plugin that refuses a Pod on a node after another one has. */
export interface FurtherRefusal {
  plugin: string;
  reasons: readonly string[];
}

/**
 * Runs the filters after the one that refused a node, which a scheduler does not run: who changes what that one names meets these next.
 */
export function furtherRefusals(
  profile: Profile,
  cycle: Cycle,
  pod: PodInfo,
  node: NodeInfo | undefined,
  refusedBy: string | undefined,
): FurtherRefusal[] {
  const filters = profile.at('filter');
  const first = filters.findIndex(({ name }) => name === refusedBy);
  if (node === undefined || first < 0) return [];
  return filters.slice(first + 1).flatMap((plugin) => {
    if (cycle.skippedFilters.has(plugin.name)) return [];
    // A cordoned node has a taint as well.
    if (refusedBy === 'NodeUnschedulable' && plugin.name === 'TaintToleration' && isOnlyCordoned(node))
      return [];
    try {
      const status = plugin.filter?.(cycle, pod, node);
      return status === undefined ? [] : [{ plugin: plugin.name, reasons: status.reasons }];
    } catch {
      // An error of a plugin that a scheduler would not run is no refusal.
      return [];
    }
  });
}

const isOnlyCordoned = ({ taints }: NodeInfo): boolean =>
  taints.every(
    ({ key, effect }) => key === 'node.kubernetes.io/unschedulable' || effect === 'PreferNoSchedule',
  );
