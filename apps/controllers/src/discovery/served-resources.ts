import type { KubeObject } from '@annex/machinery';
import type { Clock, Logger, Metrics } from '@annex/runtime';
import type { SharedInformers } from '../shared-informers.ts';
import { type Outcome, WorkQueue } from '../work-queue.ts';
import { ReadSchedule } from './read-schedule.ts';
import type { Discovered, ResourceDiscovery } from './resource-discovery.ts';

/** A listener for changes of the served resources. */
export interface ServedListener {
  /** `undefinedNames` are the CustomResourceDefinitions that were deleted since the last call, with all their objects. */
  (discovered: Discovered, undefinedNames: ReadonlySet<string>): Promise<void>;
}

/** Changes of these objects change the served resources. */
const schemaKinds = [
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/apiregistration.k8s.io/v1/apiservices',
];

/** Interval in milliseconds between reads while a server does not respond, as in kube. */
const staleMs = 30_000;

interface ServedResourcesDeps {
  informers: SharedInformers;
  resources: ResourceDiscovery;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** Watches CustomResourceDefinitions and APIServices, reads discovery after each change, and notifies listeners of served resources. */
export class ServedResources {
  readonly #deps: ServedResourcesDeps;
  readonly #discovery: ResourceDiscovery;
  readonly #queue: WorkQueue<'discovery'>;
  readonly #listeners: ServedListener[] = [];
  readonly #undefined = new Set<string>();
  readonly #first = Promise.withResolvers<void>();
  #discovered: Discovered | undefined;
  readonly #schedule = new ReadSchedule();
  #started = false;

  constructor(deps: ServedResourcesDeps) {
    this.#deps = deps;
    this.#discovery = deps.resources;
    this.#queue = new WorkQueue(
      {
        name: 'discovery',
        workers: 1,
        work: () => this.#sync(),
        minBackoffMs: 50,
        maxBackoffMs: staleMs,
      },
      deps,
    );
  }

  /** Adds a listener. Call it before start. */
  listen(listener: ServedListener): void {
    this.#listeners.push(listener);
  }

  /** Resolves when the listeners were called for the first time. */
  get first(): Promise<void> {
    return this.#first.promise;
  }

  start(): void {
    if (this.#started || this.#listeners.length === 0) return;
    this.#started = true;
    this.#queue.add('discovery');
    this.#queue.start();
    for (const path of schemaKinds) this.#followKind(path);
  }

  stop(): Promise<void> {
    return this.#queue.stop();
  }

  #followKind(path: string): void {
    const mayChange = () => {
      this.#queue.addAfter('discovery', this.#schedule.changed(this.#deps.clock.monotonic()));
    };
    const definitions = this.#deps.informers.of(path, { metadataOnly: true });
    definitions.listen({
      added: mayChange,
      modified: mayChange,
      deleted: ({ metadata }: KubeObject) => {
        this.#undefined.add(metadata.name ?? '');
        mayChange();
      },
    });
    void definitions.start();
  }

  async #sync(): Promise<Outcome> {
    const discovered = await this.#discovery.read();
    if (discovered !== this.#discovered) {
      this.#discovered = discovered;
      const undefinedNames = new Set(this.#undefined);
      this.#undefined.clear();
      await Promise.all(this.#listeners.map((listener) => listener(discovered, undefinedNames)));
    }
    this.#first.resolve();
    const next = this.#schedule.read(this.#deps.clock.monotonic(), discovered.resources.length);
    if (next !== undefined) return { afterMs: next };
    return discovered.stale.size > 0 ? { afterMs: staleMs } : undefined;
  }
}
