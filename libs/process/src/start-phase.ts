import { type HealthCheck, type ServerDeps, storeHealthChecks, versionInfo } from '@annex/server';
import type { Composition } from './program.ts';
import type { ServerRoutes } from './secure-server.ts';

/** The start phase of a process, which its route table and `/readyz` reflect. */
export class StartPhase {
  #phase: 'starting' | 'serving' | 'ready' = 'starting';
  readonly #ready: Composition['ready'];

  /** `ready` resolves when other processes may depend on this one. */
  constructor(ready?: Composition['ready']) {
    this.#ready = ready;
  }

  /** Opens the routes to requests. Resolves when other processes may depend on this one. */
  async open(): Promise<void> {
    this.#phase = 'serving';
    await this.#ready?.();
    this.#phase = 'ready';
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
        checks: [...storeHealthChecks(deps), ...(refusesAll ? [] : [this.#started])],
        metrics: deps.metrics,
        version: versionInfo,
        ...(documents ? { documents } : {}),
        ...(apiPaths ? { apiPaths } : {}),
      },
    };
  }

  readonly #started: HealthCheck = {
    name: 'started',
    readyOnly: true,
    check: () => {
      if (this.#phase !== 'ready') throw new Error('the app is starting');
    },
  };
}
