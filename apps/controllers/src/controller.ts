import type { Clock, Logger, Metrics } from '@annex/runtime';
import type { Api } from './api.ts';
import type { ResourceDiscovery } from './discovery/resource-discovery.ts';
import type { ServedResources } from './discovery/served-resources.ts';
import type { SharedInformers } from './shared-informers.ts';

/** Something that watches what there is and works towards what should be. */
export interface Controller {
  /** Begins; failures are tried again, never thrown. */
  start(): void;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** What controllers are made of. */
export interface ControllerDeps {
  api: Api;
  informers: SharedInformers;
  resources: ResourceDiscovery;
  served: ServedResources;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
  /** PEM of the authority that signed the API server's certificate. */
  rootCa: string;
  /** PEM of the key that signs the tokens in Secrets; without one there are none. */
  serviceAccountKey: string | undefined;
  /** How long a namespace's deletion waits, so that all replicas of the API server know of it. */
  namespaceDeletionDelayMs: number;
}
