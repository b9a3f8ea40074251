import type { ClientConfig, Leadership } from '@annex/client';
import type { Clock, Logger, Metrics } from '@annex/runtime';
import type { Running } from './running.ts';
import { selectControllers } from './selection.ts';

/** Dependencies on the process that runs the controllers. */
export interface ControllersDeps {
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** The configuration of controllers. */
export interface ControllersConfig {
  /** The API server and the user of the controllers. */
  client: ClientConfig;
  /** The controllers to run, in the form of `--controllers`. */
  controllers: readonly string[];
  /** PEM of the CA that signed the API server's certificate, published to all namespaces. */
  rootCa: string;
  /** PEM of the key that signs the tokens in Secrets; if undefined, the Secrets stay empty. */
  serviceAccountKey?: string | undefined;
  /**
   * Delay of namespace deletion in milliseconds, until all replicas of the API server reject new objects in the namespace. The default 0 is
   * sufficient for a single API server.
   */
  namespaceDeletionDelayMs?: number;
  /** Set if several processes run the same controllers: only the leader runs them. */
  leaderElection?: Leadership;
}

/** Controllers that can be started once and stopped once. */
export interface Controllers {
  readonly name: string;
  /** Resolves immediately: failures are retried. */
  start(): Promise<void>;
  /** Resolves when no work is in progress. */
  stop(): Promise<void>;
}

/** Creates the controllers that the configuration selects, as clients of an API server. They are loaded at start. */
export function createControllers(deps: ControllersDeps, config: ControllersConfig): Controllers {
  const { client, controllers, namespaceDeletionDelayMs = 0, leaderElection } = config;
  const { rootCa, serviceAccountKey } = config;
  const rows = selectControllers(controllers);
  let running: Running | undefined;
  return {
    name: 'controllers',
    async start() {
      if (rows.length === 0) return;
      const { runControllers, runWhileLeading } = await import('./running.ts');
      const log = deps.log.child({ app: 'controllers' });
      const run = {
        ...deps,
        log,
        rows,
        rootCa,
        serviceAccountKey,
        namespaceDeletionDelayMs,
        client: asKube(client),
      };
      running = leaderElection ? runWhileLeading(run, leaderElection) : await runControllers(run);
    },
    async stop() {
      await running?.stop();
    },
  };
}

// The user agent of kube's controllers, which is their name in managedFields; one connection for all watches.
const asKube = (client: ClientConfig): ClientConfig => ({
  userAgent: 'kube-controller-manager/annex',
  protocol: 'h2',
  ...client,
});
