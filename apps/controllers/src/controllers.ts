import type { ClientConfig } from '@annex/client';
import type { Clock, Logger, Metrics } from '@annex/runtime';
import type { Leadership } from './leader-election.ts';
import type { Running } from './running.ts';
import { selectControllers } from './selection.ts';

/** What controllers take from the process that they run in. */
export interface ControllersDeps {
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** The configuration of controllers. */
export interface ControllersConfig {
  /** The API server, and who they are there. */
  client: ClientConfig;
  /** Which of them run, in the form of `--controllers`. */
  controllers: readonly string[];
  /** PEM of the authority that signed the API server's certificate, published to all namespaces. */
  rootCa: string;
  /** PEM of the key that signs the tokens in Secrets; without one they stay empty. */
  serviceAccountKey?: string | undefined;
  /**
   * How long the deletion of a namespace waits, so that all replicas of the API server know that nothing more may be
   * created in it. None by default, which is right for a single API server.
   */
  namespaceDeletionDelayMs?: number;
  /** Where several processes run the same controllers: only one does at a time. */
  leaderElection?: Leadership;
}

/** Controllers that can be started and stopped once. */
export interface Controllers {
  readonly name: string;
  /** Resolves at once: what fails is tried again until it works. */
  start(): Promise<void>;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** The controllers that a list chooses, as clients of an API server. They are loaded when they start. */
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

// The name under which kube's own controllers appear in managedFields; one connection for all of their watches.
const asKube = (client: ClientConfig): ClientConfig => ({
  userAgent: 'kube-controller-manager/annex',
  protocol: 'h2',
  ...client,
});
