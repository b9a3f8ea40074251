import { type Passes, visitedAtOnce } from '@annex/machinery';

/** Visits the items of a list, in passes. */
export function* each<T>(items: readonly T[], visit: (item: T, i: number) => unknown): Passes<void> {
  for (let i = 0; i < items.length; i++) {
    if (i > 0 && i % visitedAtOnce === 0) yield;
    visit(items[i] as T, i);
  }
}

/** Returns the items for which `keep` is true. */
export function* filtered<T>(items: readonly T[], keep: (item: T) => boolean): Passes<T[]> {
  const kept: T[] = [];
  yield* each(items, (item) => keep(item) && kept.push(item));
  return kept;
}

/** Returns a value for each item. */
export function* mapped<T, U>(items: readonly T[], valueOf: (item: T) => U): Passes<U[]> {
  const values: U[] = [];
  yield* each(items, (item) => values.push(valueOf(item)));
  return values;
}

/** Returns the distinct items. */
export function* setOf<T>(items: readonly T[]): Passes<Set<T>> {
  const set = new Set<T>();
  yield* each(items, (item) => set.add(item));
  return set;
}
