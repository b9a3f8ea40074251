import { compareApiVersions } from '@annex/machinery';

/** A version with its priorities. */
export interface Placed {
  group: string;
  version: string;
  groupPriorityMinimum: number;
  versionPriority: number;
}

/** The versions of one group, highest priority first. */
export interface OrderedGroup<P extends Placed> {
  group: string;
  versions: P[];
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Orders groups by the highest groupPriorityMinimum of their versions, then by name; and versions by versionPriority, then by kube's
 * version order.
 */
export function orderGroups<P extends Placed>(placed: Iterable<P>): OrderedGroup<P>[] {
  const groups = new Map<string, { group: string; priority: number; versions: P[] }>();
  for (const one of placed) {
    const known = groups.get(one.group) ?? { group: one.group, priority: 0, versions: [] };
    known.priority = Math.max(known.priority, one.groupPriorityMinimum);
    known.versions.push(one);
    groups.set(one.group, known);
  }
  for (const { versions } of groups.values()) {
    versions.sort(
      (a, b) => b.versionPriority - a.versionPriority || compareApiVersions(a.version, b.version),
    );
  }
  return [...groups.values()].sort((a, b) => b.priority - a.priority || byText(a.group, b.group));
}
