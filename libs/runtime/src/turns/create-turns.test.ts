import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createTurns } from './create-turns.ts';

it('requests begin immediately and in order; many of them yield to other work', async () => {
  const inTurn = createTurns();
  const begun: number[] = [];
  let others = 0;
  const busy = (i: number) => () => {
    begun.push(i);
    for (const end = performance.now() + 2; performance.now() < end;);
  };
  const all = Array.from({ length: 20 }, (_, i) => i);
  for (const i of all) inTurn(busy(i));
  expect(begun.slice(0, 1)).toEqual([0]);
  expect(begun.length).toBeLessThan(all.length);
  for (; begun.length < all.length; others++) await nextTurn();
  expect(begun).toEqual(all);
  expect(others).toBeGreaterThan(1);
});
