import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { yieldIfHeld } from './loop-turn.ts';

/** Holds the turn for longer than a slice. */
function hold(): void {
  for (const end = performance.now() + 12; performance.now() < end;);
}

it('each part of long work runs in a turn of its own', async () => {
  let turns = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turns++) await nextTurn();
  })();
  await yieldIfHeld(performance.now());
  for (let part = 0; part < 5; part++) {
    hold();
    await yieldIfHeld(performance.now());
  }
  const between = turns;
  isDone = true;
  await others;
  expect(between).toBeGreaterThanOrEqual(5);
});

it('a turn that has just begun is not left', async () => {
  await nextTurn();
  expect(yieldIfHeld(performance.now())).toBeUndefined();
});
