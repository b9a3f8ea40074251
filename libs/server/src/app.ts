import type { Clock, EgressSelector, Logger, Metrics } from '@annex/runtime';
import type { Feed, Store } from '@annex/storage';
import type { DiscoverySource } from '@annex/kinds';
import type { Handler } from './route.ts';
import type { ServedApis } from './served-apis.ts';

/** Dependencies of every app. */
export interface ServerDeps {
  store: Store;
  feed: Feed;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** Selects the built-in resources to serve; by default all except those of retired versions. */
  servedApis?: ServedApis;
  /** How other servers are reached; by default directly. */
  egress?: EgressSelector | undefined;
}

/**
 * An app serves a part of the API. It runs in one process with the other apps, or alone behind a separate
 * listener.
 */
export interface App {
  readonly name: string;
  readonly handle: Handler;
  /** The served resources, for the discovery and OpenAPI documents. */
  readonly discovery: DiscoverySource;
  /** Resolves when the app is ready to serve requests. */
  start(): Promise<void>;
  stop(): Promise<void>;
}
