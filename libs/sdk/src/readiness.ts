import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '@annex/runtime';
import { type HealthCheck, type ServerDeps, storeHealthChecks } from '@annex/server';

/** Reports the server as not ready until its configuration is loaded, and after the stop signal. */
export class Readiness implements Part {
  readonly name = 'readiness';
  readonly #delay: number;
  #isStopping = false;

  /**
   * `delay`: milliseconds after the stop signal for which the server is not ready and still serves requests.
   */
  constructor(delay: number) {
    this.#delay = delay;
  }

  /**
   * Returns the checks of `/healthz`, `/livez` and `/readyz`; their names are those of kube-apiserver's
   * library.
   */
  checks(deps: ServerDeps, synced: () => boolean): HealthCheck[] {
    return [
      ...storeHealthChecks(deps).filter(({ name }) => name !== 'informer-sync'),
      {
        name: 'informer-sync',
        readyOnly: true,
        check: () => requireTrue(synced(), 'the configuration of the API server is not loaded yet'),
      },
      {
        name: 'shutdown',
        readyOnly: true,
        check: () => requireTrue(!this.#isStopping, 'the server is stopping'),
      },
    ];
  }

  /** Resolves after the delay, in which load balancers can detect the state. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#delay > 0) await pause(this.#delay);
  }
}

function requireTrue(isWell: boolean, why: string): void {
  if (!isWell) throw new Error(why);
}
