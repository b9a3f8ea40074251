import { createMetrics, nullLogger } from '@annex/runtime';
import { FakeClock } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { type Outcome, WorkQueue } from './work-queue.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Returns a queue whose work ends when the test ends it. */
function held(workers = 1, more: { rest?: number; ready?(): Promise<void> } = {}) {
  const clock = new FakeClock();
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<Outcome>>();
  const queue = new WorkQueue<string>(
    {
      name: 'test',
      workers,
      minBackoffMs: 10,
      maxBackoffMs: 35,
      ...more,
      work(key) {
        begun.push(key);
        const end = Promise.withResolvers<Outcome>();
        ends.set(key, end);
        return end.promise;
      },
    },
    { clock, log: nullLogger, metrics: createMetrics() },
  );
  const end = async (key: string, outcome: Outcome | Error = undefined) => {
    if (outcome instanceof Error) ends.get(key)?.reject(outcome);
    else ends.get(key)?.resolve(outcome);
    await turn();
  };
  return { clock, queue, begun, end };
}

describe('a work queue', () => {
  it('does not work before it starts, then processes keys in their order', async () => {
    const { queue, begun, end } = held();
    queue.add('a');
    queue.add('b');
    expect(begun).toEqual([]);
    queue.start();
    expect(begun).toEqual(['a']);
    await end('a');
    expect(begun).toEqual(['a', 'b']);
  });

  it('keeps a key once, however often it is added', () => {
    const { queue, begun } = held(5);
    queue.add('a');
    queue.add('a');
    queue.start();
    expect(begun).toEqual(['a']);
  });

  it('processes a key once at a time, and again if it was added during its work', async () => {
    const { queue, begun, end } = held(5);
    queue.start();
    queue.add('a');
    queue.add('a');
    queue.add('a');
    expect(begun).toEqual(['a']);
    await end('a');
    expect(begun).toEqual(['a', 'a']);
    await end('a');
    expect(begun).toEqual(['a', 'a']);
  });

  it('retries after pauses that double up to a limit, and resets them after a success', async () => {
    const { clock, queue, begun, end } = held();
    queue.start();
    queue.add('a');
    const pauses: number[] = [];
    for (const outcome of [new Error('no'), 'again', 'again', undefined] as const) {
      await end('a', outcome);
      const count = begun.length;
      let waited = 0;
      while (clock.pending > 0 && begun.length === count) {
        await clock.advance(5);
        waited += 5;
      }
      pauses.push(waited);
    }
    expect(pauses).toEqual([10, 20, 35, 0]);
    queue.add('a');
    await end('a', 'again');
    await clock.advance(10);
    expect(begun).toHaveLength(6);
  });

  it('repeats work after the requested time', async () => {
    const { clock, queue, begun, end } = held();
    queue.start();
    queue.add('a');
    await end('a', { afterMs: 1000 });
    await clock.advance(999);
    expect(begun).toEqual(['a']);
    await clock.advance(1);
    expect(begun).toEqual(['a', 'a']);
  });

  it('uses the earliest of several times, and processes a key that is added now immediately', async () => {
    const { clock, queue, begun } = held();
    queue.start();
    queue.addAfter('a', 500);
    queue.addAfter('a', 100);
    queue.addAfter('a', 300);
    expect(clock.pending).toBe(1);
    await clock.advance(100);
    expect(begun).toEqual(['a']);
    queue.addAfter('b', 100);
    queue.add('b');
    expect(clock.pending).toBe(0);
  });

  it('lets a key rest in proportion to its work, but at most ten seconds', async () => {
    const { clock, queue, begun, end } = held(5, { rest: 4 });
    queue.start();
    queue.add('a');
    await clock.advance(100);
    queue.add('a');
    await end('a', { afterMs: 1 });
    queue.add('a');
    queue.add('b');
    expect(begun).toEqual(['a', 'b']);
    await clock.advance(399);
    expect(begun).toEqual(['a', 'b']);
    await clock.advance(1);
    expect(begun).toEqual(['a', 'b', 'a']);
    await clock.advance(60_000);
    await end('a', 'again');
    await clock.advance(9_999);
    expect(begun).toHaveLength(3);
    await clock.advance(1);
    expect(begun).toHaveLength(4);
    // Without a rest that someone waits for, nothing begins.
    await end('a');
    await clock.advance(10_000);
    expect([begun.length, clock.pending]).toEqual([4, 0]);
  });

  it('does not count the wait before the work', async () => {
    const ready = Promise.withResolvers<void>();
    const { clock, queue, begun, end } = held(5, { rest: 4, ready: () => ready.promise });
    queue.start();
    queue.add('a');
    await clock.advance(1000);
    expect(begun).toEqual([]);
    ready.resolve();
    await turn();
    queue.add('a');
    await end('a');
    await turn();
    expect(begun).toEqual(['a', 'a']);
  });

  it('stops when work in progress has ended, and begins no new work', async () => {
    const { clock, queue, begun, end } = held();
    queue.start();
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    let stopped = false;
    const stopping = queue.stop().then(() => (stopped = true));
    await turn();
    expect([stopped, clock.pending]).toEqual([false, 0]);
    await end('a', 'again');
    await stopping;
    queue.add('d');
    expect(begun).toEqual(['a']);
  });
});
