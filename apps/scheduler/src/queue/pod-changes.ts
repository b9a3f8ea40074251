import { deepEqual } from '@annex/machinery';
import { type ClusterEvent, clusterEvent, type EventAction } from '../framework/cluster-event.ts';
import type { PodInfo } from '../objects/pod-info.ts';

const changes: readonly [EventAction, (before: PodInfo, after: PodInfo) => boolean][] = [
  ['UpdatePodLabel', (before, after) => !deepEqual(before.labels ?? {}, after.labels ?? {})],
  ['UpdatePodScaleDown', isScaledDown],
  ['UpdatePodSchedulingGatesEliminated', (before, after) => gates(before) > 0 && gates(after) === 0],
  ['UpdatePodToleration', (before, after) => before.tolerations.length !== after.tolerations.length],
  ['UpdatePodGeneratedResourceClaim', (before, after) => !deepEqual(generated(before), generated(after))],
];

const gates = ({ pod }: PodInfo): number => pod.spec.schedulingGates?.length ?? 0;

const generated = ({ pod: { status } }: PodInfo): object => ({
  claims: status?.resourceClaimStatuses ?? [],
  extended: status?.extendedResourceClaimStatus ?? null,
});

function isScaledDown(before: PodInfo, after: PodInfo): boolean {
  for (const [name, amount] of before.requests) if ((after.requests.get(name) ?? -1) < amount) return true;
  return false;
}

/** Returns the events of a change of a Pod: one for each property that plugins may wait for, or the general one. */
export function podChanges(before: PodInfo, after: PodInfo): ClusterEvent[] {
  const prefix = (after.pod.spec.nodeName ?? '') === '' ? 'UnschedulablePod' : 'AssignedPod';
  const found = changes.filter(([, isChanged]) => isChanged(before, after)).map(([action]) => action);
  return (found.length === 0 ? (['Update'] as const) : found).map((action) =>
    clusterEvent('Pod', action, `${prefix}${action}`),
  );
}
