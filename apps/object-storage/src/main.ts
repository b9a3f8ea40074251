import {
  createLogger,
  createMetrics,
  helpText,
  type LogLevel,
  nodeVersionError,
  OperatorError,
  parseOptions,
  startupValues,
  watchEventLoop,
} from '@annex/runtime';
import { createObjectStorage } from './app.ts';
import { objectStorageConflicts, objectStorageOptions } from './options.ts';

process.exitCode = await main();

/** Runs until a signal asks to stop. Resolves to the exit code. */
async function main(): Promise<number> {
  const unsupported = nodeVersionError();
  if (unsupported !== undefined) {
    process.stderr.write(`${String(unsupported)}\n`);
    return 1;
  }
  const parsed = parseOptions(
    objectStorageOptions,
    process.argv.slice(2),
    process.env,
    objectStorageConflicts,
  );
  if (parsed.kind === 'help') {
    process.stdout.write(helpText('object-storage [options]', objectStorageOptions));
    return 0;
  }
  if (parsed.kind === 'errors') {
    process.stderr.write(`${parsed.errors.join('\n')}\n`);
    return 2;
  }
  const { config } = parsed;
  const log = createLogger({ level: config.logLevel as LogLevel | 'off', format: config.logFormat });
  log.info('starting object-storage', startupValues(objectStorageOptions, config));
  const app = createObjectStorage({ log, metrics: createMetrics() }, config);
  const asked = new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, resolve);
  });
  try {
    await app.start();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`${String(error)}\n`);
    return 1;
  }
  process.stdout.write(`object-storage is ready: ${[...app.urls, ...app.healthUrls].join(' ')}\n`);
  watchEventLoop(config);
  await asked;
  const errors = await app.stop();
  for (const error of errors) process.stderr.write(`${String(error)}\n`);
  return errors.length > 0 ? 1 : 0;
}
