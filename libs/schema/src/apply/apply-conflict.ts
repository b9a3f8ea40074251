import { DividedVisit, failure, finish, goQuote, type Passes, type StatusError } from '@annex/machinery';
import type { Conflict } from './apply-ownership.ts';
import { printPath } from '../managed-fields/field-set.ts';
import { type ManagerId, parseManagerId } from '../managed-fields/managed-fields.ts';

/** Returns the 409 status of an apply that conflicts with other managers, with a cause for each field. */
export const conflictStatus = (conflicts: readonly Conflict[]): StatusError =>
  finish(conflictStatusInPasses(conflicts));

/** The same, in passes if there are many. */
export function* conflictStatusInPasses(conflicts: readonly Conflict[]): Passes<StatusError> {
  const managers = new Map<ManagerId, string>();
  for (const { manager } of conflicts) {
    if (!managers.has(manager)) managers.set(manager, printManager(manager));
  }
  const printed: PrintedConflict[] = [];
  yield* new DividedVisit().each(conflicts, ({ manager, path }) => {
    printed.push({ manager, by: managers.get(manager) ?? '', field: printPath(path) });
  });
  const causes = printed.map(({ by, field }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${by}`,
    field,
  }));
  yield;
  return failure('Conflict', conflictMessage(printed), { causes });
}

interface PrintedConflict {
  manager: ManagerId;
  by: string;
  field: string;
}

function conflictMessage(conflicts: readonly PrintedConflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${first.by}: ${first.field}`;
  }
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager);
  const lines = [...byManager.keys()].sort().flatMap((manager) => {
    const own = byManager.get(manager) ?? [];
    return [`conflicts with ${own[0]?.by}:`, ...own.map(({ field }) => `- ${field}`)];
  });
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function printManager(id: ManagerId): string {
  const { manager, operation, apiVersion, subresource } = parseManagerId(id);
  const name = goQuote(manager ?? '');
  const where = subresource === undefined ? name : `${name} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${where} using ${apiVersion}` : where;
}
