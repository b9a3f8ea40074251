import { setImmediate } from 'node:timers/promises';

/** How long a loop may hold the event loop. */
const sliceMs = 10;

/**
 * Paces a long loop: the function resolves at once until the slice is used up, and then after everybody else had a turn.
 * Ask it for each item; most calls cost one reading of the clock.
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
