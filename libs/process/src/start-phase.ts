import { type HealthCheck, type ServerDeps, storeHealthChecks, versionInfo } from '@annex/server';
import { postStartChecks } from './post-start-checks.ts';
import type { Composition } from './program.ts';
import type { ServerRoutes } from './secure-server.ts';

/** The start phase of a process, which its route table and `/readyz` reflect. */
export class StartPhase {
  #phase: 'starting' | 'serving' | 'ready' = 'starting';
  #isStopping = false;
  readonly #ready: Composition['ready'];
  readonly #prepare: Composition['ready'];

  /** `ready` resolves when other processes may depend on this one; `prepare` runs before requests are served. */
  constructor(ready?: Composition['ready'], prepare?: Composition['ready']) {
    this.#ready = ready;
    this.#prepare = prepare;
  }

  /** Opens the routes to requests. Resolves when other processes may depend on this one. */
  async open(): Promise<void> {
    if (this.#prepare !== undefined) await this.#prepare();
    this.#phase = 'serving';
    await this.#ready?.();
    this.#phase = 'ready';
  }

  /** Fails `/readyz` from now on. Requests are still served. */
  beginStop(): void {
    this.#isStopping = true;
  }

  /** Returns the routes of a composition; some requests are refused until `open`. */
  routes({ refusedAtStart, routes }: Composition, deps: ServerDeps): ServerRoutes {
    const { apiPaths, documents, ...targets } = routes;
    const isStarting = () => this.#phase === 'starting';
    const refusesAll = refusedAtStart === 'everything';
    return {
      ...targets,
      ...(refusesAll ? { isStarting } : { isApiStarting: isStarting }),
      about: {
        checks: [
          ...storeHealthChecks(deps),
          ...(refusesAll ? postStartChecks : [this.#started]),
          this.#shutdown,
        ],
        metrics: deps.metrics,
        version: versionInfo,
        ...(documents ? { documents } : {}),
        ...(apiPaths ? { apiPaths } : {}),
      },
    };
  }

  /** kube-apiserver's check of that name. */
  readonly #shutdown: HealthCheck = {
    name: 'shutdown',
    readyOnly: true,
    check: () => {
      if (this.#isStopping) throw new Error('the server is stopping');
    },
  };

  readonly #started: HealthCheck = {
    name: 'started',
    readyOnly: true,
    check: () => {
      if (this.#phase !== 'ready') throw new Error('the app is starting');
    },
  };
}
