import { setImmediate } from 'node:timers/promises';
import { heldMs } from './loop-turn.ts';

/** For how long requests are started before other work runs. */
const sliceMs = 5;

/**
 * Starts requests in order of arrival, in time slices: a client may send hundreds over one connection at
 * once, and Node would start all of them before other work runs.
 */
export function createTurns(): (begin: () => void) => void {
  let waiting: (() => void)[] = [];
  const drain = async () => {
    for (let next = 0; next < waiting.length;) {
      await setImmediate();
      const end = performance.now() + sliceMs;
      // The synchronous part of a request runs before the next one starts.
      for (; next < waiting.length && performance.now() < end; await undefined) waiting[next++]!();
    }
    waiting = [];
  };
  return (begin) => {
    if (waiting.length === 0 && heldMs(performance.now()) < sliceMs) return begin();
    if (waiting.push(begin) === 1) void drain();
  };
}
