import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { CurrentInput } from './current-input.ts';
import type { RunResult, RunThreadData } from './run-thread.ts';

/** Runs one input in a thread, without counters. Returns `undefined` if it takes longer than `maxMs`. */
export async function runSingle(
  file: string,
  name: string,
  input: Uint8Array,
  maxMs: number,
): Promise<RunResult | undefined> {
  const workerData: RunThreadData = { file, name, memory: new CurrentInput().memory };
  const worker = new Worker(new URL('./run-thread.ts', import.meta.url), { workerData });
  const crashed = once(worker, 'error').then(([error]): RunResult => ({
    processorMs: 0,
    error: String(error),
  }));
  crashed.catch(() => {});
  try {
    await Promise.race([once(worker, 'message'), crashed]);
    worker.postMessage(input);
    return await Promise.race([
      once(worker, 'message').then(([result]) => result as RunResult),
      crashed,
      new Promise<undefined>((done) => setTimeout(done, maxMs, undefined)),
    ]);
  } finally {
    await worker.terminate();
  }
}
