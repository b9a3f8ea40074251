import { setImmediate } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long one turn of the event loop may be held. */
const sliceMs = 10;

/** When this turn of the event loop was first asked for its time; `undefined` in a turn that nobody asked in yet. */
let began: number | undefined;

/** For how many milliseconds this turn of the event loop has been held by now, as far as it is known. */
export function heldMs(now: number): number {
  if (began !== undefined) return now - began;
  began = now;
  setImmediate(() => (began = undefined));
  return 0;
}

/** Resolves when everybody else had a turn, if this one was held for long; `undefined` where there is no need to wait. */
export const yieldIfHeld = (now: number): Promise<void> | undefined =>
  heldMs(now) < sliceMs ? undefined : nextTurn();
