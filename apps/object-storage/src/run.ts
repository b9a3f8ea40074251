import { createMetrics, type ProcessDescription, runProcess, startupLog } from '@annex/runtime';
import { createObjectStorage } from './app.ts';
import { type ObjectStorageConfig, objectStorageConflicts, objectStorageOptions } from './options.ts';

/** The process of object-storage. */
export const objectStorageProgram = {
  name: 'object-storage',
  options: objectStorageOptions,
  conflicts: objectStorageConflicts,
  async start(config) {
    const log = startupLog('object-storage', objectStorageOptions, config);
    const app = createObjectStorage({ log, metrics: createMetrics() }, config);
    await app.start();
    return { about: [...app.urls, ...app.healthUrls].join(' '), stop: () => app.stop() };
  },
} satisfies ProcessDescription<ObjectStorageConfig>;

/** The main function of object-storage in a separate process. Resolves to the exit code. */
export const runObjectStorage = (argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> =>
  runProcess<ObjectStorageConfig>(objectStorageProgram, argv, env);
