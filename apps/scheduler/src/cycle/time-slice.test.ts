import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { decisionSliceMs, inSlices } from './time-slice.ts';

const items = Array.from({ length: 64 }, (_, i) => i);

it('few items are used at once', () => {
  const used: number[] = [];
  expect(inSlices(items, (item) => void used.push(item))).toBeUndefined();
  expect(used).toEqual(items);
});

it('items that take longer than a slice leave turns to other work, and are all used', async () => {
  const used: number[] = [];
  const spin = (item: number): void => {
    const end = performance.now() + decisionSliceMs / 16;
    while (performance.now() < end);
    used.push(item);
  };
  let isDone = false;
  const paused = inSlices(items, spin)?.then(() => (isDone = true));
  const before = used.length;
  let turns = 0;
  for (; !isDone; turns++) await nextTurn();
  await paused;
  expect(before).toBeLessThan(items.length);
  expect(turns).toBeGreaterThan(1);
  expect(used).toEqual(items);
});
