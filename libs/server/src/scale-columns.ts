import { isObject } from '@annex/machinery';
import { genericCells } from './builtin/cells.ts';
import { recordedColumns } from './builtin/data.ts';
import type { TableColumn } from './resource-kind.ts';

const replicas = (part: unknown): number => (isObject(part) ? Number(part.replicas ?? 0) : 0);

const cells: Readonly<Record<string, TableColumn['cell']>> = {
  ...genericCells,
  Desired: (scale) => replicas(scale.spec),
  Available: (scale) => replicas(scale.status),
};

const numbers = ['Desired', 'Available'].map((name) => ({
  name,
  type: 'integer',
  format: '',
  description: '',
  priority: 0,
}));

/** The columns of `autoscaling/v1` Scale, which is only ever shown as a subresource. Made at the first call. */
export function scaleColumns(): readonly TableColumn[] {
  if (made === undefined) {
    // Name and Age are described as they are for every kind.
    const [name, , age] = recordedColumns('v1', 'configmaps');
    const columns = [...(name ? [name] : []), ...numbers, ...(age ? [age] : [])];
    made = columns.map((column) => ({ ...column, cell: cells[column.name] ?? (() => '') }));
  }
  return made;
}

let made: readonly TableColumn[] | undefined;
