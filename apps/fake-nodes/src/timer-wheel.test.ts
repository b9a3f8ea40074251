import { FakeClock } from '@annex/testkit';
import { expect, it } from 'vitest';
import { slotMs, TimerWheel } from './timer-wheel.ts';

function wheel() {
  const clock = new FakeClock();
  const due: string[] = [];
  return {
    clock,
    due,
    wheel: new TimerWheel<string>(clock, (key) => due.push(`${key}@${clock.monotonic()}`)),
  };
}

it('calls keys in the order of their times, at most one slot late', async () => {
  const { clock, due, wheel: one } = wheel();
  for (const [key, ms] of [
    ['c', 300],
    ['a', 10],
    ['b', 155],
    ['d', 7_000],
  ] as const)
    one.set(key, ms);
  await clock.advance(10_000);
  expect(due).toEqual(['a@20', 'b@160', 'c@300', 'd@7000']);
});

it('has one timer of the clock for any number of keys', () => {
  const { clock, wheel: one } = wheel();
  for (let index = 0; index < 1000; index++) one.set(`key-${index}`, index * slotMs);
  expect([clock.pending, one.size]).toEqual([1, 1000]);
});

it('replaces the time of a key, and forgets keys', async () => {
  const { clock, due, wheel: one } = wheel();
  one.set('moved', 100);
  one.set('moved', 500);
  one.set('deleted', 100);
  one.delete('deleted');
  await clock.advance(1000);
  expect(due).toEqual(['moved@500']);
  one.set('cleared', 100);
  one.clear();
  await clock.advance(1000);
  expect([due.length, clock.pending]).toEqual([1, 0]);
});

it('calls a key that is set while others are due', async () => {
  const clock = new FakeClock();
  let count = 0;
  const one: TimerWheel<string> = new TimerWheel(clock, (key) => {
    if (++count < 5) one.set(key, 0);
  });
  one.set('again', 0);
  await clock.advance(1000);
  expect(count).toBe(5);
});
