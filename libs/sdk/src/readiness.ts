import { setTimeout as pause } from 'node:timers/promises';
import type { Part } from '@annex/runtime';
import { type HealthCheck, type ServerDeps, storeHealthChecks } from '@annex/server';

/** Whether a server shall be sent requests: not until it knows what it must, and not when it is about to stop. */
export class Readiness implements Part {
  readonly name = 'readiness';
  readonly #delay: number;
  #isStopping = false;

  /** After it is told to stop, a server is not ready for `delay` milliseconds, and answers all the same. */
  constructor(delay: number) {
    this.#delay = delay;
  }

  /** The checks of `/healthz`, `/livez` and `/readyz`; their names are those of kube's extension servers. */
  checks(deps: ServerDeps, synced: () => boolean): HealthCheck[] {
    return [
      ...storeHealthChecks(deps).filter(({ name }) => name !== 'informer-sync'),
      {
        name: 'informer-sync',
        readyOnly: true,
        check: () => must(synced(), 'what is configured in the API server is not known yet'),
      },
      { name: 'shutdown', readyOnly: true, check: () => must(!this.#isStopping, 'it is stopping') },
    ];
  }

  /** Resolves when those who send requests have had time to see it. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#delay > 0) await pause(this.#delay);
  }
}

function must(isWell: boolean, why: string): void {
  if (!isWell) throw new Error(why);
}
