import { getOwn } from '@annex/machinery';
import type { Cell } from '@annex/kinds';
import { coreCells } from './core.ts';
import { otherCells } from './others.ts';
import { workloadCells } from './workloads.ts';

/** What kube prints in the columns of a kind, by the name of the column. */
export function cellsOf(group: string, resource: string): Readonly<Record<string, Cell>> {
  if (group === '') return getOwn(coreCells, resource) ?? {};
  const key = `${group}/${resource}`;
  return getOwn(workloadCells, key) ?? getOwn(otherCells, key) ?? {};
}
