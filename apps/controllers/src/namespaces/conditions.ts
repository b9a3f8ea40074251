import type { NamespaceCondition } from './namespace.ts';

/** The result of an attempt to empty a namespace. */
export interface DeletionReport {
  /** The error of discovery, if it is incomplete. */
  discovery: string | undefined;
  /** Error messages, one for each resource. */
  failures: readonly string[];
  /** Number of remaining objects by `resource.group`; core resources keep the dot, as in kube. */
  remaining: ReadonlyMap<string, number>;
  /** Number of objects that each finalizer blocks. */
  finalizers: ReadonlyMap<string, number>;
}

interface ConditionRow {
  type: string;
  fine: { reason: string; message: string };
  /** Returns the error of the report, if it has one. */
  invalid(report: DeletionReport): { reason: string; message: string } | undefined;
}

const listed = (counts: ReadonlyMap<string, number>, text: (name: string, count: number) => string): string =>
  [...counts]
    .map(([name, count]) => text(name, count))
    .sort()
    .join(', ');

/** The conditions of a namespace deletion, with kube's reasons and messages. */
const conditionRows: readonly ConditionRow[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    fine: { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
    invalid: ({ discovery }) =>
      discovery === undefined ? undefined : { reason: 'DiscoveryFailed', message: discovery },
  },
  {
    // Aggregated discovery has separate members for group and version, so parsing cannot fail.
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    fine: { reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
    invalid: () => undefined,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    fine: {
      reason: 'ContentDeleted',
      message: 'All content successfully deleted, may be waiting on finalization',
    },
    invalid: ({ failures }) =>
      failures.length === 0
        ? undefined
        : {
            reason: 'ContentDeletionFailed',
            message: `Failed to delete all resource types, ${failures.length} remaining: ${[...failures].sort().join(', ')}`,
          },
  },
  {
    type: 'NamespaceContentRemaining',
    fine: { reason: 'ContentRemoved', message: 'All content successfully removed' },
    invalid: ({ remaining }) =>
      remaining.size === 0
        ? undefined
        : {
            reason: 'SomeResourcesRemain',
            message: `Some resources are remaining: ${listed(remaining, (name, count) => `${name} has ${count} resource instances`)}`,
          },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    fine: { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
    invalid: ({ finalizers }) =>
      finalizers.size === 0
        ? undefined
        : {
            reason: 'SomeFinalizersRemain',
            message: `Some content in the namespace has finalizers remaining: ${listed(finalizers, (name, count) => `${name} in ${count} resource instances`)}`,
          },
  },
];

/** Returns the conditions after an attempt; `undefined` if they did not change. */
export function updatedConditions(
  current: readonly NamespaceCondition[],
  report: DeletionReport,
  now: string,
): NamespaceCondition[] | undefined {
  const updated = [...current];
  let changed = false;
  for (const { type, fine, invalid: failed } of conditionRows) {
    const problem = failed(report);
    const next = { type, status: problem ? 'True' : 'False', ...(problem ?? fine) } as const;
    const at = updated.findIndex((condition) => condition.type === type);
    const old = updated[at];
    if (old?.status === next.status && old.reason === next.reason && old.message === next.message) continue;
    changed = true;
    const since = old?.status === next.status ? old.lastTransitionTime : now;
    const condition = { ...old, ...next, ...(since ? { lastTransitionTime: since } : {}) };
    if (at < 0) updated.push(condition);
    else updated[at] = condition;
  }
  return changed ? updated : undefined;
}
