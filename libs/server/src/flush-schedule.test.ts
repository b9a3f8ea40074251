import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FlushSchedule, flushesPerTurn, longestRestMs } from './flush-schedule.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Adds so many flushes; returns how many have run. */
function add(schedule: FlushSchedule, count: number): () => number {
  let done = 0;
  for (let i = 0; i < count; i++) schedule.add(() => done++);
  return () => done;
}

/** Resolves at the end of this turn. */
const endOfTurn = () => Promise.resolve();

test('few flushes happen at the end of each turn', async () => {
  const schedule = new FlushSchedule();
  for (let turn = 0; turn < 3; turn++) {
    const done = add(schedule, 5);
    expect(done()).toBe(0);
    await endOfTurn();
    expect(done()).toBe(5);
  }
});

test('after many flushes, the next ones wait for each other until the rest is over', async () => {
  const schedule = new FlushSchedule();
  const first = add(schedule, 100);
  await endOfTurn();
  expect(first()).toBe(100);
  const second = add(schedule, 100);
  await endOfTurn();
  vi.advanceTimersByTime(longestRestMs - 1);
  const third = add(schedule, 100);
  expect([second(), third()]).toEqual([0, 0]);
  vi.advanceTimersByTime(1);
  expect([second(), third()]).toEqual([100, 100]);
});

test('a flush after the rest does not wait', async () => {
  const schedule = new FlushSchedule();
  add(schedule, 200);
  await endOfTurn();
  vi.advanceTimersByTime(longestRestMs);
  const done = add(schedule, 1);
  await endOfTurn();
  expect(done()).toBe(1);
});

test('very many flushes take several turns, and those that come meanwhile follow in the next round', async () => {
  const schedule = new FlushSchedule();
  const first = add(schedule, 2 * flushesPerTurn + 1);
  await endOfTurn();
  expect(first()).toBe(flushesPerTurn);
  const second = add(schedule, 1);
  vi.advanceTimersToNextTimer();
  expect(first()).toBe(2 * flushesPerTurn);
  vi.advanceTimersToNextTimer();
  expect([first(), second()]).toEqual([2 * flushesPerTurn + 1, 0]);
  vi.advanceTimersByTime(longestRestMs);
  expect(second()).toBe(1);
});
