import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPacer } from './pacer.ts';

it('yields to other work in a long loop', async () => {
  const pace = createPacer();
  let turns = 0;
  const others = setInterval(() => turns++, 1);
  const end = performance.now() + 30_000;
  while (turns < 2 && performance.now() < end) {
    const pause = pace();
    if (pause) await pause;
  }
  clearInterval(others);
  expect(turns).toBeGreaterThan(1);
});

it('resumes one of several long loops in each turn', async () => {
  let turn = 0;
  let isDone = false;
  const others = (async () => {
    for (; !isDone; turn++) await nextTurn();
  })();
  const resumed: number[] = [];
  const loop = async () => {
    const pace = createPacer();
    for (let slices = 0; slices < 3;) {
      const pause = pace();
      if (pause === undefined) continue;
      await pause;
      resumed.push(turn);
      slices++;
    }
  };
  await Promise.all([loop(), loop(), loop()]);
  isDone = true;
  await others;
  expect(new Set(resumed).size).toBe(9);
});

it('does not pause a short loop', () => {
  // On a busy machine one of them may be interrupted.
  expect(Array.from({ length: 20 }, () => createPacer()())).toContain(undefined);
});
