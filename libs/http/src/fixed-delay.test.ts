import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FixedDelay } from './fixed-delay.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('calls each function after its delay, and never a cancelled one', () => {
  const delay = new FixedDelay(100);
  const called: string[] = [];
  const start = (name: string) => delay.start(() => called.push(`${name} at ${performance.now() - began}`));
  const began = performance.now();
  start('first');
  vi.advanceTimersByTime(60);
  const callOff = start('second');
  start('third');
  callOff();
  vi.advanceTimersByTime(60);
  start('last');
  vi.advanceTimersByTime(1000);
  expect(called).toEqual(['first at 100', 'third at 160', 'last at 220']);
  expect(vi.getTimerCount()).toBe(0);
});

it('continues after one throws', () => {
  const delay = new FixedDelay(10);
  let called = false;
  delay.start(() => {
    throw new Error('no');
  });
  delay.start(() => {
    called = true;
  });
  expect(() => vi.advanceTimersByTime(20)).toThrow('no');
  vi.advanceTimersByTime(20);
  expect(called).toBe(true);
});
