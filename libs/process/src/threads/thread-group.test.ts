import { MessageChannel } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { maxWaitingTraces, groupTraces } from './group-traces.ts';
import {
  MainThreadGroup,
  MemberThreadGroup,
  otherThreadsTimeoutMs,
  type ThreadGroup,
} from './thread-group.ts';

class Main extends MainThreadGroup {
  join(index: number): MemberThreadGroup {
    const { port1, port2 } = new MessageChannel();
    this.add(port1);
    return new MemberThreadGroup({ index, size: 3, ticketKeys: new Uint8Array(48), port: port2 });
  }
}

let members: MemberThreadGroup[] = [];
afterEach(() => {
  for (const member of members) member.close();
  members = [];
});

function threeThreads(): [MainThreadGroup, MemberThreadGroup, MemberThreadGroup] {
  const main = new Main(3, Buffer.alloc(48));
  members = [main.join(1), main.join(2)];
  return [main, members[0]!, members[1]!];
}

test('a thread calls all others, and the main thread alone', async () => {
  const all = threeThreads();
  for (const group of all) group.handle('add', (to: number) => group.index + to);
  expect(await Promise.all(all.map((group) => group.callOthers('add', 10)))).toEqual([
    [11, 12],
    [10, 12],
    [10, 11],
  ]);
  expect(await Promise.all(all.map((group) => group.callMain('add', 10)))).toEqual([10, 10, 10]);
});

test('the error of a handler is that of the call', async () => {
  const [main, one] = threeThreads();
  main.handle('fail', () => {
    throw new Error('no');
  });
  await expect(one.callMain('fail')).rejects.toThrow('no');
  await expect(one.callMain('unknown')).rejects.toThrow('the thread does not serve unknown');
});

test('a thread that does not respond within otherThreadsTimeoutMs is left out', async () => {
  const [main, one, two] = threeThreads();
  main.handle('name', () => 'main');
  one.handle('name', () => 'one');
  two.handle('name', () => new Promise(() => undefined));
  const start = performance.now();
  expect(await main.callOthers('name')).toEqual(['one']);
  expect(performance.now() - start).toBeGreaterThanOrEqual(otherThreadsTimeoutMs - 1);
});

test('calls to a thread that has ended fail', async () => {
  const [main, one] = threeThreads();
  one.close();
  await expect.poll(() => one.callMain('name').catch(String)).toBe('Error: the thread has ended');
  expect(await main.callOthers('name')).toEqual([]);
});

test('traces beyond maxWaitingTraces are dropped while another thread does not read', async () => {
  const groups: readonly ThreadGroup[] = threeThreads();
  const [main, one, two] = groups.map((group) => groupTraces(group));
  let send: (trace: never) => void = () => undefined;
  main!.serve(
    () => Promise.resolve([]),
    (listener) => {
      send = listener;
      return () => (send = () => undefined);
    },
  );
  const seen: unknown[] = [];
  const stop = one!.follow((trace) => seen.push(trace));
  two!.follow(() => undefined)();
  // The main thread follows its own traces once it is asked to.
  await groups[1]!.callMain('followTraces', 0);
  for (let i = 0; i < maxWaitingTraces + 10; i++) send(i as never);
  // The first one was sent at once.
  await expect.poll(() => seen.length).toBe(maxWaitingTraces + 1);
  stop();
  await groups[1]!.callMain('followTraces', 0);
  send('after the end' as never);
  await groups[0]!.callOthers('followTraces', 0);
  expect(seen).not.toContain('after the end');
});
