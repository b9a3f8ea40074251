import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isContended, ownTurn } from './own-turn.ts';

it('continues one of several loops in each turn, in the order in which they wait', async () => {
  let turn = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turn++) await nextTurn();
  })();
  const order: string[] = [];
  const turns = new Set<number>();
  const loop = async (name: string) => {
    for (let slices = 0; slices < 3; slices++) {
      await ownTurn();
      order.push(name);
      turns.add(turn);
    }
  };
  await Promise.all([loop('a'), loop('b'), loop('c')]);
  isDone = true;
  await others;
  expect(order.join('')).toBe('abcabcabc');
  expect(turns.size).toBe(9);
});

it('is contended while a loop waits', async () => {
  const turn = ownTurn();
  expect(isContended()).toBe(true);
  await turn;
  expect(isContended()).toBe(false);
});
