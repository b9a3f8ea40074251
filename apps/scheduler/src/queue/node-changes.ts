import { deepEqual } from '@annex/machinery';
import { type ClusterEvent, clusterEvent, type EventAction } from '../framework/cluster-event.ts';
import type { Node } from '../objects/node.ts';

const conditions = ({ status }: Node): object =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status }) => [type, status]));

const changes: readonly [EventAction, (before: Node, after: Node) => boolean][] = [
  ['UpdateNodeTaint', (before, after) => before.spec?.unschedulable === true && !after.spec?.unschedulable],
  [
    'UpdateNodeAllocatable',
    (before, after) => !deepEqual(before.status?.allocatable ?? {}, after.status?.allocatable ?? {}),
  ],
  [
    'UpdateNodeLabel',
    (before, after) => !deepEqual(before.metadata.labels ?? {}, after.metadata.labels ?? {}),
  ],
  ['UpdateNodeTaint', (before, after) => !deepEqual(before.spec?.taints ?? [], after.spec?.taints ?? [])],
  ['UpdateNodeCondition', (before, after) => !deepEqual(conditions(before), conditions(after))],
  [
    'UpdateNodeAnnotation',
    (before, after) => !deepEqual(before.metadata.annotations ?? {}, after.metadata.annotations ?? {}),
  ],
  [
    'UpdateNodeDeclaredFeature',
    (before, after) =>
      !deepEqual(before.status?.declaredFeatures ?? [], after.status?.declaredFeatures ?? []),
  ],
];

/** Returns the events of a change of a Node; none if nothing changed that matters to Pods. */
export const nodeChanges = (before: Node, after: Node): ClusterEvent[] =>
  changes.filter(([, isChanged]) => isChanged(before, after)).map(([action]) => clusterEvent('Node', action));
