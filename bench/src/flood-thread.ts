import { parentPort, workerData } from 'node:worker_threads';
import { Api } from './api.ts';
import type { FloodData } from './flood.ts';

const { config, path, callers } = workerData as FloodData;
const api = new Api(config);
let isEnding = false;
parentPort!.once('message', () => (isEnding = true));

const call = async (): Promise<void> => {
  while (!isEnding) await api.send('GET', path);
};
await Promise.all(Array.from({ length: callers }, call));
api.close();
