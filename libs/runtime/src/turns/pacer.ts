import { ownTurn } from './own-turn.ts';

/** The time slice of a loop, in milliseconds. */
const sliceMs = 2;

/**
 * Paces a long loop: the function returns `undefined` until the time slice is used up, and then a promise that resolves in a later
 * turn of the event loop, its own: many long lists delay a short request no more than one does.
 * Call it for each item; most calls only read the clock.
 */
export function createPacer(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < sliceMs) return undefined;
    return ownTurn().then(() => {
      began = performance.now();
    });
  };
}

/** Visits items in slices, each in a turn of its own. An error of `visit` ends it. */
export async function eachInSlices<T>(items: Iterable<T>, visit: (item: T) => void): Promise<void> {
  const pace = createPacer();
  for (const item of items) {
    const paused = pace();
    if (paused !== undefined) await paused;
    visit(item);
  }
}
