import type { Informer, InformerHandlers, InformerOptions } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { pause } from '@annex/server';
import type { ControllerDeps } from '../controller.ts';
import { type ApiResource, resourcePath } from './resource-discovery.ts';

/** A served resource, with what its user keeps of it. */
interface Followed {
  resource: ApiResource;
}

/** Milliseconds to wait for a resource whose server does not respond. */
const settleMs = 10_000;

/** Informers that read their first lists at the same time, and for how long one of them can delay others. */
const startedAtOnce = 16;
const startingMs = 1000;

/** The informers of one controller whose resources come and go: at most one for each collection. */
export class ResourceInformers<R extends Followed> {
  readonly #deps: Pick<ControllerDeps, 'api' | 'clock' | 'served'>;
  readonly #running = new Map<string, R & { informer: Informer }>();
  readonly #pending = new Set<Promise<void>>();
  #starting = 0;
  /** Informers that start when others have read their lists. */
  readonly #waiting: (() => void)[] = [];
  #isStopped = false;

  constructor(deps: Pick<ControllerDeps, 'api' | 'clock' | 'served'>) {
    this.#deps = deps;
  }

  /** The resources whose informers run. */
  get resources(): R[] {
    return [...this.#running.values()];
  }

  /** Starts the informer of a resource, unless it runs. */
  start(
    followed: R,
    handlers: Omit<InformerHandlers<KubeObject>, 'failed'>,
    options: InformerOptions<KubeObject>,
  ): void {
    const path = resourcePath(followed.resource);
    if (this.#isStopped || this.#running.has(path)) return;
    const informer = this.#deps.api.informer<KubeObject>(path, handlers, options);
    this.#running.set(path, { ...followed, informer });
    const settled = this.#turn().then(() => this.#begin(path, informer));
    this.#pending.add(settled);
    void settled.then(() => this.#pending.delete(settled));
  }

  /** Resolves when an informer may start. */
  #turn(): Promise<void> {
    if (this.#starting++ < startedAtOnce) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #endTurn(): void {
    this.#starting--;
    this.#waiting.shift()?.();
  }

  /** Starts an informer, unless it was stopped; resolves when its objects are known, or its server does not respond. */
  async #begin(path: string, informer: Informer): Promise<void> {
    if (this.#isStopped || this.#running.get(path)?.informer !== informer) return this.#endTurn();
    const { clock } = this.#deps;
    const listed = informer.start();
    void Promise.race([listed, clock.sleep(startingMs)]).then(() => this.#endTurn());
    await Promise.race([listed, clock.sleep(settleMs)]);
  }

  /** Stops the informers of the other resources. `ended` is called with the last known objects of each. */
  async keep(
    isKept: (followed: R) => boolean,
    ended?: (followed: R, objects: readonly KubeObject[]) => void,
  ): Promise<void> {
    const stopped: [path: string, followed: R & { informer: Informer }][] = [];
    for (const one of [...this.#running]) {
      if (!isKept(one[1])) stopped.push(one);
      const paused = pause();
      if (paused) await paused;
    }
    for (const [path] of stopped) this.#running.delete(path);
    await Promise.all(
      stopped.map(async ([, followed]) => {
        await followed.informer.stop();
        ended?.(followed, followed.informer.list());
      }),
    );
  }

  /** Resolves when the first discovery is read and the objects of all resources are known, or their servers do not respond. */
  async settled(): Promise<void> {
    await this.#deps.served.first;
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all([...this.#running.values()].map(({ informer }) => informer.stop()));
  }
}
