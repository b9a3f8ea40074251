import { nullLogger } from '@annex/runtime';
import { FakeClock } from '@annex/testkit';
import { expect, it } from 'vitest';
import { maxConcurrentWrites, type Work, WorkPool } from './work-pool.ts';

const pool = (clock: FakeClock, work: Work<string>) => new WorkPool<string>(work, { clock, log: nullLogger });

it('works on a bounded number of keys at once, and on each key once', async () => {
  const clock = new FakeClock();
  let [running, most, done] = [0, 0, 0];
  const one = pool(clock, async () => {
    most = Math.max(most, ++running);
    await clock.sleep(10);
    running--;
    done++;
    return undefined;
  });
  for (let index = 0; index < 3 * maxConcurrentWrites; index++) one.add(`key-${index}`);
  one.add('key-0');
  await clock.advance(1000);
  // A key that is added while it is worked on comes again.
  expect([most, done]).toEqual([maxConcurrentWrites, 3 * maxConcurrentWrites + 1]);
});

it('repeats failed work with a back-off, and work that names a time', async () => {
  const clock = new FakeClock();
  const times: number[] = [];
  const one = pool(clock, async () => {
    times.push(clock.monotonic());
    if (times.length < 3) throw new Error('refused');
    return times.length === 3 ? 10_000 : undefined;
  });
  one.add('key');
  await clock.advance(0);
  await clock.advance(60_000);
  expect(times).toEqual([0, 500, 1500, 11_500]);
});

it('stops when no work is in progress', async () => {
  const clock = new FakeClock();
  let isDone = false;
  const one = pool(clock, async () => {
    await clock.sleep(100);
    isDone = true;
    return 1;
  });
  one.add('key');
  const stopped = one.stop().then(() => isDone);
  await clock.advance(1000);
  expect([await stopped, clock.pending]).toEqual([true, 0]);
});
