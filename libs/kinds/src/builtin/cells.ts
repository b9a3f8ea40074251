import { humanDuration, type KubeObject } from '@annex/machinery';

/** Returns the cell of an object in a column; `now` is milliseconds since the epoch. */
export type Cell = (object: KubeObject, now: number) => unknown;

/** Formats the age of an RFC 3339 time as kubectl does; `<unknown>` without a time. */
export function age(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null || timestamp === '') return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}

/** Cells of the columns that are the same for every kind. */
export const genericCells: Readonly<Record<string, Cell>> = {
  Name: (object) => object.metadata.name ?? '',
  Age: (object, now) => age(object.metadata.creationTimestamp, now),
  'Created At': (object) => object.metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
};
