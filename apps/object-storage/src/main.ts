import { createLogger, createMetrics, type LogLevel, runProcess, startupValues } from '@annex/runtime';
import { createObjectStorage } from './app.ts';
import { objectStorageConflicts, objectStorageOptions } from './options.ts';

process.exit(
  await runProcess({
    name: 'object-storage',
    options: objectStorageOptions,
    conflicts: objectStorageConflicts,
    async start(config) {
      const log = createLogger({ level: config.logLevel as LogLevel | 'off', format: config.logFormat });
      log.info('starting object-storage', startupValues(objectStorageOptions, config));
      const app = createObjectStorage({ log, metrics: createMetrics() }, config);
      await app.start();
      return { about: [...app.urls, ...app.healthUrls].join(' '), stop: () => app.stop() };
    },
  }),
);
