import { expect, it } from 'vitest';
import { RetryAfter } from './retry-after.ts';

it('doubles while many requests are refused, up to 32 seconds, and falls slowly when few are', () => {
  const retry = new RetryAfter();
  const seen: number[] = [];
  for (let second = 1; second <= 80; second++) {
    for (let i = 0; i < 10; i++) retry.record(second * 1000);
    seen.push(retry.seconds);
  }
  expect(seen.slice(0, 8)).toEqual([1, 2, 2, 4, 4, 4, 4, 8]);
  expect(Math.max(...seen)).toBe(32);
  retry.record(1_000_000);
  retry.record(1_100_000);
  expect(retry.seconds).toBe(30);
});

it('a few refused requests do not change it', () => {
  const retry = new RetryAfter();
  for (let second = 1; second < 20; second++) retry.record(second * 1000);
  expect(retry.seconds).toBe(1);
});
