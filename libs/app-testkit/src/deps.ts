import { createMetrics, type Logger, nullLogger, systemClock } from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import { createFeed, createMemoryStore, type Store } from '@annex/storage';

/** Creates the dependencies of an app. By default the store is in memory and nothing is logged. */
export function memoryDeps({
  store = createMemoryStore(),
  log = nullLogger,
}: MemoryDepsOptions = {}): ServerDeps {
  return { store, feed: createFeed(store), clock: systemClock, log, metrics: createMetrics() };
}

interface MemoryDepsOptions {
  store?: Store;
  log?: Logger;
}
