import { humanDuration, type KubeObject } from '@annex/machinery';

/** The cell of an object in a column; `now` is milliseconds since the epoch. */
export type Cell = (object: KubeObject, now: number) => unknown;

/** How long ago an RFC 3339 time was, as kubectl prints it; `<unknown>` where there is none. */
export function age(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null || timestamp === '') return '<unknown>';
  return humanDuration(now - Date.parse(timestamp));
}

/** Cells of the columns that mean the same for every kind. */
export const genericCells: Readonly<Record<string, Cell>> = {
  Name: (object) => object.metadata.name ?? '',
  Age: (object, now) => age(object.metadata.creationTimestamp, now),
  'Created At': (object) => object.metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
};
