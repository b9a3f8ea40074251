import { FakeClock } from '@annex/testkit';
import { expect, test } from 'vitest';
import { ExpirySchedule } from './expiry-schedule.ts';

/** A schedule whose deletions take a turn of the event loop each. */
function setUp(count: number) {
  const clock = new FakeClock();
  const deleted: string[] = [];
  const running = { now: 0, most: 0 };
  const all = Promise.withResolvers<void>();
  const schedule = new ExpirySchedule(async (key) => {
    running.most = Math.max(running.most, ++running.now);
    await Promise.resolve();
    running.now--;
    if (deleted.push(key) === count) all.resolve();
    if (deleted.length % 3 === 0) throw new Error('it was changed');
  }, clock);
  return { clock, deleted, running, schedule, all: all.promise };
}

test('many keys that expire in one second are deleted some at a time, in order', async () => {
  const keys = Array.from({ length: 1000 }, (_, i) => `k${i}`);
  const { clock, deleted, running, schedule, all } = setUp(keys.length);
  for (const [i, key] of keys.entries()) schedule.add(key, i, -5);
  await clock.advance(1000);
  await all;
  expect(deleted).toEqual(keys);
  expect(running.most).toBe(100);
});

test('a schedule that is closed deletes no further keys', async () => {
  const { clock, deleted, schedule, all } = setUp(200);
  for (let i = 0; i < 1000; i++) schedule.add(`k${i}`, i, 10);
  void all.then(() => schedule.close());
  await clock.advance(1000);
  await all;
  await new Promise(setImmediate);
  expect(deleted).toHaveLength(200);
});
