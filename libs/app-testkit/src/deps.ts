import { createMetrics, type Logger, nullLogger, systemClock } from '@annex/runtime';
import type { ServerDeps } from '@annex/server';
import { createFeed, createMemoryStore, type Store } from '@annex/storage';

/** What an app is built on, with its store in memory unless one is given. Nothing is logged unless a log is given. */
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
