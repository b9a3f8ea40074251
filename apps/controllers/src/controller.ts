import type { Clock, Logger, Metrics } from '@annex/runtime';
import type { Api } from './api.ts';
import type { ResourceDiscovery } from './discovery/resource-discovery.ts';
import type { ServedResources } from './discovery/served-resources.ts';
import type { SharedInformers } from './shared-informers.ts';

/** Watches objects and changes them until the state is as expected. */
export interface Controller {
  /** Starts the controller. Failures are retried and never thrown. */
  start(): void;
  /** Resolves when no work is in progress. */
  stop(): Promise<void>;
}

/** Dependencies of controllers. */
export interface ControllerDeps {
  api: Api;
  informers: SharedInformers;
  resources: ResourceDiscovery;
  served: ServedResources;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** PEM of the CA that signed the API server's certificate. */
  rootCa: string;
  /** PEM of the key that signs the tokens in Secrets; if undefined, no tokens are created. */
  serviceAccountKey: string | undefined;
  /** Delay of namespace deletion in milliseconds, until all replicas of the API server have seen it. */
  namespaceDeletionDelayMs: number;
}
