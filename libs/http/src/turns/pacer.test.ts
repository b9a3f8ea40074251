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

it('does not pause a short loop', () => {
  // On a busy machine one of them may be interrupted.
  expect(Array.from({ length: 20 }, () => createPacer()())).toContain(undefined);
});
