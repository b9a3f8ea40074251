import { setImmediate } from 'node:timers/promises';
import { heldMs } from './loop-turn.ts';

/** How long requests may be begun before everything else has its turn. */
const sliceMs = 5;

/**
 * Lets requests begin in the order in which they came, without holding the event loop: a client may send hundreds over
 * one connection in one go, and Node would begin all of them before anybody else is heard.
 */
export function createTurns(): (begin: () => void) => void {
  let waiting: (() => void)[] = [];
  const drain = async () => {
    for (let next = 0; next < waiting.length;) {
      await setImmediate();
      const end = performance.now() + sliceMs;
      // What a request does at once it does before the next one begins.
      for (; next < waiting.length && performance.now() < end; await undefined) waiting[next++]!();
    }
    waiting = [];
  };
  return (begin) => {
    if (waiting.length === 0 && heldMs(performance.now()) < sliceMs) return begin();
    if (waiting.push(begin) === 1) void drain();
  };
}
