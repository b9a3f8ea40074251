import { FakeClock } from '@annex/testkit';
import { expect, it } from 'vitest';
import { RateLimit } from './rate-limit.ts';

/** Returns the times in milliseconds at which so many requests are sent. */
async function sent(
  config: { qps: number; burst: number },
  requests: number,
  afterMs = 0,
): Promise<number[]> {
  const clock = new FakeClock();
  const limit = new RateLimit(config, clock);
  const signal = new AbortController().signal;
  const times: number[] = [];
  await clock.advance(afterMs);
  const begin = clock.monotonic();
  const all = Promise.all(
    Array.from({ length: requests }, async () => {
      await limit.turn(signal);
      times.push(clock.monotonic() - begin);
    }),
  );
  await clock.advance(0);
  await clock.advance(60_000);
  await all;
  return times;
}

it('a burst is sent at once, and then so many requests a second', async () => {
  expect(await sent({ qps: 10, burst: 3 }, 6)).toEqual([0, 0, 0, 100, 200, 300]);
});

it('a pause saves no more than a burst', async () => {
  expect(await sent({ qps: 10, burst: 2 }, 4, 60_000)).toEqual([0, 0, 100, 200]);
});

it('a burst of 0 is one request', async () => {
  expect(await sent({ qps: 0.5, burst: 0 }, 2)).toEqual([0, 2000]);
});

it('the wait ends with the scheduler', async () => {
  const ending = new AbortController();
  const limit = new RateLimit({ qps: 1, burst: 1 }, new FakeClock());
  await limit.turn(ending.signal);
  const next = limit.turn(ending.signal);
  ending.abort(new Error('stops'));
  await expect(next).rejects.toThrow('stops');
});
