import { type KubeObject, type Query, badRequest } from '@annex/machinery';
import { partialMetadata } from './partial-metadata.ts';
import type { ResourceKind, TableRowCondition } from '@annex/kinds';

/** A row of a `meta.k8s.io/v1` Table. */
export interface TableRow {
  cells: unknown[];
  conditions?: readonly TableRowCondition[];
  object: unknown;
}

export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** Returns the part of each object that its row includes. Throws 400 with kube-apiserver's message. */
export function includeObject(query: Query): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '' || value === 'Metadata') return 'Metadata';
  if (value === 'None' || value === 'Object') return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** The form of the Tables of a kind. */
export interface TableForm {
  kind: Pick<ResourceKind, 'columns' | 'version' | 'rowConditions'>;
  include: IncludeObject;
  /** The version of `meta.k8s.io`. */
  version: string;
}

/** Returns the row of one object. `now`, in milliseconds since the epoch, is the time for ages. */
export function tableRow({ kind, include, version }: TableForm, object: KubeObject, now: number): TableRow {
  const cells = kind.columns.map((column) => column.cell(object, now));
  const conditions = kind.rowConditions?.(object) ?? [];
  const shown = include === 'None' ? null : include === 'Object' ? object : partialMetadata(object, version);
  return conditions.length > 0 ? { cells, conditions, object: shown } : { cells, object: shown };
}

/** Creates a Table of rows. Watches omit the column definitions after their first event. */
export function tableOf(
  { kind, version }: TableForm,
  rows: TableRow[],
  metadata: Record<string, unknown>,
  withColumns = true,
): Record<string, unknown> {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: withColumns ? columnDefinitions(kind) : null,
    rows,
  };
}

/**
 * Returns whether kube-apiserver has no printer for a built-in kind; its Table has only the name and the
 * creation time.
 */
export const hasDefaultColumns = ({ columns }: Pick<ResourceKind, 'columns'>): boolean =>
  columns.length === 2 && columns[1]?.name === 'Created At';

const columnDefinitions = (kind: Pick<ResourceKind, 'columns'>) =>
  kind.columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
