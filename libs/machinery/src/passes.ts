/**
 * Work on a value that may be as large as a body: it yields between passes over the value, and between the
 * parts of a pass, so that its caller can serve other requests. It yields `long` before a pass that cannot be divided and may take most of a turn.
 */
export type Passes<T> = Generator<'long' | undefined, T, undefined>;

/** Finishes the work at once. */
export function finish<T>(passes: Passes<T>): T {
  for (;;) {
    const { done, value } = passes.next();
    if (done === true) return value;
  }
}

/** How many parts of a value one pass visits. */
export const visitedAtOnce = 500;

/**
 * Divides a recursive visit of a value into passes: visits beyond the share of a pass wait for the next one. A small value is
 * visited at once, and costs no generators.
 */
export class DividedVisit {
  /** How many parts a pass visits. */
  readonly atOnce: number;
  #left: number;
  #waiting: Passes<void>[] | undefined;

  constructor(atOnce = visitedAtOnce) {
    this.atOnce = atOnce;
    this.#left = atOnce;
  }

  /** Counts a visit; returns true if it exceeds the share of this pass, so that it has to wait. */
  exceeds(): boolean {
    return this.#left-- <= 0;
  }

  /** Counts visits that are made at once. */
  count(visits: number): void {
    this.#left -= visits;
  }

  /** Makes work wait until `rest` runs. */
  postpone(work: Passes<void>): void {
    (this.#waiting ??= []).push(work);
  }

  /** Returns whether no work waits. */
  get isDone(): boolean {
    return (this.#waiting?.length ?? 0) === 0;
  }

  /** Visits the parts of a level that has many, in as many passes as they need. */
  *each<T>(parts: Iterable<T>, visit: (part: T) => void): Passes<void> {
    for (const part of parts) {
      if (this.exceeds()) yield* this.next();
      visit(part);
    }
  }

  /** Finishes the work that waits, the last part first. */
  *rest(): Passes<void> {
    for (let work = this.#waiting?.pop(); work !== undefined; work = this.#waiting?.pop()) {
      if (this.#left <= 0) yield* this.next();
      yield* work;
    }
  }

  /** Begins the next pass. */
  *next(): Passes<void> {
    yield;
    this.#left = this.atOnce;
  }
}

/** Returns whether a level of a value has so many parts that it is visited in passes. */
export const isManyParts = (parts: number): boolean => parts > visitedAtOnce;

/** How many items are sorted or merged in one pass. */
const sortedAtOnce = 512;

/** Sorts a list in place like `sort`, in passes. */
export function* sortInPasses<T>(list: T[], compare: (a: T, b: T) => number): Passes<T[]> {
  if (list.length <= sortedAtOnce) return list.sort(compare);
  const middle = list.length >> 1;
  const left = yield* sortInPasses(list.slice(0, middle), compare);
  yield;
  const right = yield* sortInPasses(list.slice(middle), compare);
  yield;
  let [l, r] = [0, 0];
  for (let i = 0; i < list.length; i++) {
    const isLeft = r === right.length || (l < left.length && compare(left[l] as T, right[r] as T) <= 0);
    list[i] = (isLeft ? left[l++] : right[r++]) as T;
    if (i % sortedAtOnce === 0) yield;
  }
  return list;
}

/** Returns a promise where other work should run before the next pass, which may be a long one. */
export type Pause = (isLong: boolean) => Promise<void> | undefined;

/** Finishes the work in slices; `pause` returns a promise where other work should run first. */
export async function finishInSlices<T>(passes: Passes<T>, pause: Pause): Promise<T> {
  for (;;) {
    const { done, value } = passes.next();
    if (done === true) return value;
    const paused = pause(value === 'long');
    if (paused !== undefined) await paused;
  }
}

/** The same; returns no promise if `pause` has returned none until the end. */
export function finishSoon<T>(passes: Passes<T>, pause: Pause): T | Promise<T> {
  for (;;) {
    const { done, value } = passes.next();
    if (done === true) return value;
    const paused = pause(value === 'long');
    if (paused !== undefined) return paused.then(() => finishInSlices(passes, pause));
  }
}
