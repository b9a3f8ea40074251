import { createMetrics, nullLogger } from '@annex/runtime';
import { FakeClock } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { type Outcome, WorkQueue } from './work-queue.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A queue whose pieces of work end when the test says so. */
function held(workers = 1) {
  const clock = new FakeClock();
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<Outcome>>();
  const queue = new WorkQueue<string>(
    {
      name: 'test',
      workers,
      minBackoffMs: 10,
      maxBackoffMs: 35,
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
  it('does nothing before it starts, then works on keys in their order', async () => {
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

  it('never works on a key twice at a time, and once more where it was added meanwhile', async () => {
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

  it('tries again after pauses that double up to a limit, and forgets failures after a success', async () => {
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

  it('does work again after the time that it asks for', async () => {
    const { clock, queue, begun, end } = held();
    queue.start();
    queue.add('a');
    await end('a', { afterMs: 1000 });
    await clock.advance(999);
    expect(begun).toEqual(['a']);
    await clock.advance(1);
    expect(begun).toEqual(['a', 'a']);
  });

  it('takes the earliest of several times, and a key that is added now needs no time', async () => {
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

  it('stops when what is worked on has ended, and takes nothing more', async () => {
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
