import { setImmediate } from 'node:timers/promises';

/** The time slice of a loop. */
const sliceMs = 10;

/**
 * Paces a long loop: the function returns `undefined` until the time slice is used up, and then a promise
 * that resolves in the next turn. Call it for each item; most calls only read the clock.
 */
export function createPacer(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < sliceMs) return undefined;
    return setImmediate().then(() => {
      began = performance.now();
    });
  };
}
