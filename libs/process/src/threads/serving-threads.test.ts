import { expect, test } from 'vitest';
import type { ServerConfig } from '../options.ts';
import { ServingThreads } from './serving-threads.ts';

const entry = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);
const config = {} as ServerConfig;

/** A thread that responds to the calls of the main thread. */
const responding = (stopped: unknown) => `
  import { workerData } from 'node:worker_threads';
  const { port } = workerData;
  port.on('message', ({ call, name, argument }) => {
    if (name === 'crash') throw new Error('crashed');
    port.postMessage({ callDone: call, result: name === 'stop' ? ${JSON.stringify(stopped)} : argument });
  });`;

test('a thread that throws while it loads fails the start', async () => {
  const threads = new ServingThreads({ entry: entry('throw new Error("broken")'), size: 2, config });
  await expect(threads.start(0)).rejects.toMatchObject({
    code: 'SERVING_THREAD_FAILED',
    message: expect.stringContaining('serving thread 1 failed: Error: broken') as string,
  });
});

test('a thread that ends later is reported, and the others are stopped', async () => {
  const threads = new ServingThreads({ entry: entry(responding([])), size: 3, config });
  await threads.start(0);
  void threads.callOthers('crash');
  expect((await threads.ended).message).toMatch(/serving thread [12] failed: Error: crashed/);
  await expect(threads.stop()).rejects.toThrow('the thread has ended');
});

test('threads are stopped, and not reported as failed', async () => {
  const threads = new ServingThreads({ entry: entry(responding([])), size: 3, config });
  await threads.start(0);
  await threads.stop();
  expect(await Promise.race([threads.ended, 'running'])).toBe('running');
});

test('what did not stop well in a thread is an error', async () => {
  const threads = new ServingThreads({ entry: entry(responding(['feed did not stop'])), size: 2, config });
  await threads.start(0);
  await expect(threads.stop()).rejects.toThrow('feed did not stop');
});
