import type { Passes } from '@annex/machinery';

/** How many parts of an expression one pass visits. A node with a pattern can take a third of a millisecond. */
export const partsAtOnce = 50;

/** A recursive visit of an expression of any depth, in passes: it yields the visits of parts, and continues with their results. */
export type Recursion<T> = Generator<Recursion<unknown>, T, unknown>;

/** Visits a part within a recursive visit; returns its result. */
export function* visit<T>(part: Recursion<T>): Recursion<T> {
  return (yield part) as T;
}

/** Runs a recursive visit. What is in progress is in a list, because its generators would overflow the call stack. */
export function* inPasses<T>(root: Recursion<T>): Passes<T> {
  const inProgress: Recursion<unknown>[] = [];
  let current: Recursion<unknown> | undefined = root;
  // The result or the error of the last part.
  let outcome: unknown;
  let failed = false;
  for (let steps = 1; current !== undefined; steps++) {
    if (steps % stepsAtOnce === 0) yield;
    try {
      const {
        done,
        value,
      }: IteratorResult<Recursion<unknown>, unknown> = failed
        ? current.throw(outcome)
        : current.next(outcome);
      failed = false;
      if (done !== true) {
        inProgress.push(current);
        [current, outcome] = [value, undefined];
        continue;
      }
      outcome = value;
    } catch (error) {
      failed = true;
      outcome = error;
    }
    current = inProgress.pop();
  }
  if (failed) throw outcome;
  return outcome as T;
}

/** Each part has a step that enters it and one that leaves it. */
const stepsAtOnce = 2 * partsAtOnce;
