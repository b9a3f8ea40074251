import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Changes } from './changes.ts';

/** Changes that record when they begin and end; `pause` ends after the next turn. */
function recorded() {
  const changes = new Changes();
  const seen: string[] = [];
  const step = (name: string): undefined => void seen.push(name);
  const pause = async (name: string): Promise<void> => {
    step(`${name} begins`);
    await nextTurn();
    step(`${name} ends`);
  };
  return { changes, seen, step, pause };
}

it('a change is applied at once', () => {
  const { changes, seen, step } = recorded();
  changes.apply(() => step('a'));
  expect([seen, changes.settled]).toEqual([['a'], undefined]);
});

it('changes after one that pauses wait for its end', async () => {
  const { changes, seen, step, pause } = recorded();
  changes.apply(() => pause('a'));
  changes.apply(() => pause('b'));
  changes.apply(() => step('c'));
  expect(seen).toEqual(['a begins']);
  await changes.settled;
  expect([seen, changes.settled]).toEqual([['a begins', 'a ends', 'b begins', 'b ends', 'c'], undefined]);
});

it('a cycle sees no change, and ends when those that came with it are applied', async () => {
  const { changes, seen, step, pause } = recorded();
  await changes.during(async () => {
    changes.apply(() => pause('a'));
    changes.apply(() => step('b'));
    step('cycle');
    await nextTurn();
  });
  expect([seen, changes.settled]).toEqual([['cycle', 'a begins', 'a ends', 'b'], undefined]);
});
