import type { Clock, Logger, Metrics } from '@annex/runtime';
import type { Feed, Store } from '@annex/storage';
import type { DiscoverySource } from '@annex/kinds';
import type { Handler } from './route.ts';
import type { ServedApis } from './served-apis.ts';

/** What every app is built on. */
export interface ServerDeps {
  store: Store;
  feed: Feed;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Which built-in resources are served; by default all but those of retired versions. */
  servedApis?: ServedApis;
}

/** An app: a part of the API with its duties. It runs in one process with the others, or alone behind its own listener. */
export interface App {
  readonly name: string;
  readonly handle: Handler;
  /** What it serves, for the discovery and OpenAPI documents. */
  readonly discovery: DiscoverySource;
  /** Resolves when the app can answer. */
  start(): Promise<void>;
  stop(): Promise<void>;
}
