import { failure, goQuote, type StatusError } from '@annex/machinery';
import type { Conflict } from './apply-ownership.ts';
import { printPath } from '../managed-fields/field-set.ts';
import { type ManagerId, parseManagerId } from '../managed-fields/managed-fields.ts';

/** Returns the 409 status of an apply that conflicts with other managers, with a cause for each field. */
export function conflictStatus(conflicts: readonly Conflict[]): StatusError {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${printManager(manager)}`,
    field: printPath(path),
  }));
  return failure('Conflict', conflictMessage(conflicts), { causes });
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${printManager(first.manager)}: ${printPath(first.path)}`;
  }
  const byManager = Map.groupBy(conflicts, ({ manager }) => manager);
  const lines = [...byManager.keys()]
    .sort()
    .flatMap((manager) => [
      `conflicts with ${printManager(manager)}:`,
      ...(byManager.get(manager) ?? []).map(({ path }) => `- ${printPath(path)}`),
    ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function printManager(id: ManagerId): string {
  const { manager, operation, apiVersion, subresource } = parseManagerId(id);
  const name = goQuote(manager ?? '');
  const where = subresource === undefined ? name : `${name} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${where} using ${apiVersion}` : where;
}
