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
  const inProgress: Recursion<unknown>[] = [root];
  let last: Outcome = { result: undefined };
  for (let visits = 1; inProgress.length > 0; visits++) {
    const step = proceed(inProgress.at(-1)!, last);
    if ('part' in step) {
      inProgress.push(step.part);
      last = { result: undefined };
    } else {
      inProgress.pop();
      last = step;
    }
    if (visits % stepsAtOnce === 0) yield;
  }
  if ('error' in last) throw last.error;
  return last.result as T;
}

type Outcome = { readonly result: unknown } | { readonly error: unknown };

/** Continues a visit with the outcome of its last part; returns its next part, or its outcome. */
function proceed(
  current: Recursion<unknown>,
  last: Outcome,
): Outcome | { readonly part: Recursion<unknown> } {
  try {
    const step = 'error' in last ? current.throw(last.error) : current.next(last.result);
    return step.done === true ? { result: step.value } : { part: step.value };
  } catch (error) {
    return { error };
  }
}

/** Each part has a step that enters it and one that leaves it. */
const stepsAtOnce = 2 * partsAtOnce;
