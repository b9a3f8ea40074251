import { parentPort, workerData } from 'node:worker_threads';
import { CurrentInput } from './current-input.ts';
import { loadTarget } from './targets.ts';

/** A target that runs single inputs without counters, so that times are those of production. */
export interface RunThreadData {
  file: string;
  name: string;
  memory: SharedArrayBuffer;
}

/** The result of an input. */
export interface RunResult {
  processorMs: number;
  error?: string;
}

const data = workerData as RunThreadData;
const target = await loadTarget(data.file, data.name);
const current = new CurrentInput(data.memory);

parentPort!.on('message', async (input: Uint8Array) => {
  const result: RunResult = { processorMs: 0 };
  const before = process.threadCpuUsage();
  current.begin(input);
  try {
    await target.run(input);
  } catch (error) {
    result.error = error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  current.end();
  const { user, system } = process.threadCpuUsage(before);
  result.processorMs = (user + system) / 1000;
  parentPort!.postMessage(result);
});
parentPort!.postMessage('ready');
