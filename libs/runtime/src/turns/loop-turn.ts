import { setImmediate } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The longest time slice of one turn of the event loop. */
const sliceMs = 10;

/** When this turn of the event loop first called `heldMs`; `undefined` if it has not. */
let began: number | undefined;

/** Returns for how many milliseconds this turn of the event loop has run, as far as it is known. */
export function heldMs(now: number): number {
  if (began !== undefined) return now - began;
  began = now;
  setImmediate(() => (began = undefined));
  return 0;
}

/** Resolves in the next turn if this one has used its time slice, in milliseconds; `undefined` otherwise. */
export const yieldIfHeld = (now: number, slice = sliceMs): Promise<void> | undefined =>
  heldMs(now) < slice ? undefined : nextTurn().then(beginSlice);

/** Measures the turn from here on: the caller that waited may hold it before it asks again. */
function beginSlice(): void {
  heldMs(performance.now());
}
