import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Api } from './api.ts';
import type { FloodData } from './flood.ts';

const { config, path, callers } = workerData as FloodData;
const api = new Api(config);
// The flood stands for clients of other machines: on Linux, this is the priority of this thread only.
if (process.platform === 'linux') setPriority(10);
let isEnding = false;
parentPort!.once('message', () => (isEnding = true));

const call = async (): Promise<void> => {
  while (!isEnding) await api.read(path);
};
await Promise.all(Array.from({ length: callers }, call));
api.close();
