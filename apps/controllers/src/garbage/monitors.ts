import type { Informer } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { groupVersion } from '@annex/machinery';
import type { ControllerDeps } from '../controller.ts';
import {
  type ApiResource,
  type Discovered,
  KindMapping,
  resourcePath,
  supports,
} from '../discovery/resource-discovery.ts';
import { type Outcome, WorkQueue } from '../work-queue.ts';
import { type Identity, ownershipMeta, type OwnershipMeta } from './identity.ts';

/** Who is told what happens to all objects. */
export interface MonitorHandlers {
  observe(identity: Identity, meta: OwnershipMeta, previous?: OwnershipMeta): void;
  remove(identity: Identity): void;
  /** Kinds came or went. */
  kindsChanged(): void;
}

interface Monitor {
  resource: ApiResource;
  informer: Informer;
  /** Resolves when its objects are known, or when that takes too long to wait for. */
  settled: Promise<void>;
}

/** What happened is not kept, and owns nothing. */
const ignored = new Set(['events', 'events.events.k8s.io']);

/** What is served changes with these. */
const schemaKinds = new Set([
  'customresourcedefinitions.apiextensions.k8s.io',
  'apiservices.apiregistration.k8s.io',
]);

const settleMs = 10_000;

/** When discovery is read after a change, again and again, since it may learn of the change after us. */
const rereadMs = [50, 500, 2_500, 10_000];

/** When it is read again while servers do not answer: kube's own period. */
const staleMs = 30_000;

const qualified = ({ group, resource }: ApiResource): string =>
  group === '' ? resource : `${resource}.${group}`;

/**
 * Watches the metadata of all objects that can be deleted, of every kind in one version, and follows the kinds that
 * come and go: changes of CustomResourceDefinitions and APIServices, which are watched anyway, make it read discovery.
 */
export class Monitors {
  readonly #deps: ControllerDeps;
  readonly #handlers: MonitorHandlers;
  readonly #monitors = new Map<string, Monitor>();
  readonly #queue: WorkQueue<'discovery'>;
  readonly #pending = new Set<Promise<void>>();
  /** Definitions that were deleted: their objects are gone with them. */
  readonly #undefined = new Set<string>();
  readonly #first = Promise.withResolvers<void>();
  #mapping = new KindMapping({ resources: [] });
  #discovered: Discovered | undefined;
  #reads = 0;

  constructor(deps: ControllerDeps, handlers: MonitorHandlers) {
    this.#deps = deps;
    this.#handlers = handlers;
    this.#queue = new WorkQueue(
      {
        name: 'garbage_collector_discovery',
        workers: 1,
        work: () => this.#sync(),
        minBackoffMs: 50,
        maxBackoffMs: staleMs,
      },
      deps,
    );
  }

  /** The kinds that are known now. */
  get mapping(): KindMapping {
    return this.#mapping;
  }

  start(): void {
    this.#queue.add('discovery');
    this.#queue.start();
  }

  async stop(): Promise<void> {
    await this.#queue.stop();
    await Promise.all([...this.#monitors.values()].map(({ informer }) => informer.stop()));
  }

  /** Resolves when all objects of all kinds are known, as far as their servers answer. */
  async settled(): Promise<void> {
    await this.#first.promise;
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #sync(): Promise<Outcome> {
    const discovered = await this.#deps.resources.read();
    if (discovered !== this.#discovered) {
      this.#discovered = discovered;
      this.#mapping = new KindMapping(discovered);
      await this.#follow(discovered);
      this.#handlers.kindsChanged();
    }
    this.#first.resolve();
    const next = rereadMs[this.#reads++];
    if (next !== undefined) return { afterMs: next };
    return discovered.stale.size > 0 ? { afterMs: staleMs } : undefined;
  }

  async #follow({ preferred, stale }: Discovered): Promise<void> {
    const wanted = new Map<string, ApiResource>();
    for (const resource of preferred) {
      if (ignored.has(qualified(resource)) || !supports(resource, 'delete', 'list', 'watch')) continue;
      wanted.set(resourcePath(resource), resource);
    }
    const stopped: Promise<void>[] = [];
    for (const [path, monitor] of this.#monitors) {
      // A server that does not answer still has its objects.
      if (wanted.has(path) || stale.has(groupVersion(monitor.resource))) continue;
      this.#monitors.delete(path);
      stopped.push(this.#end(monitor));
    }
    for (const [path, resource] of wanted) {
      if (!this.#monitors.has(path)) this.#monitors.set(path, this.#watch(path, resource));
    }
    await Promise.all(stopped);
    this.#undefined.clear();
  }

  async #end({ informer, resource }: Monitor): Promise<void> {
    await informer.stop();
    if (!this.#undefined.has(qualified(resource))) return;
    for (const object of informer.list()) this.#handlers.remove(identityOf(resource, object));
  }

  #watch(path: string, resource: ApiResource): Monitor {
    const { api, clock } = this.#deps;
    const definesKinds = schemaKinds.has(qualified(resource));
    const { observe, remove } = this.#handlers;
    const informer = api.informer<KubeObject>(
      path,
      {
        added: (object) => {
          observe(identityOf(resource, object), object.metadata);
          if (definesKinds) this.#kindsMayChange();
        },
        modified: (object, previous) => {
          const replaced = object.metadata.uid !== previous.metadata.uid;
          // Between two lists an object may give way to another one of its name.
          if (replaced) remove(identityOf(resource, previous));
          observe(identityOf(resource, object), object.metadata, replaced ? undefined : previous.metadata);
          if (definesKinds) this.#kindsMayChange();
        },
        deleted: (object) => {
          remove(identityOf(resource, object));
          if (!definesKinds) return;
          this.#undefined.add(object.metadata.name ?? '');
          this.#kindsMayChange();
        },
      },
      { metadataOnly: true, keep: ownershipMeta },
    );
    const settled = Promise.race([informer.start(), clock.sleep(settleMs)]);
    this.#pending.add(settled);
    void settled.then(() => this.#pending.delete(settled));
    return { resource, informer, settled };
  }

  #kindsMayChange(): void {
    this.#reads = 1;
    this.#queue.addAfter('discovery', rereadMs[0] ?? 0);
  }
}

const identityOf = (resource: ApiResource, { metadata }: KubeObject): Identity => ({
  apiVersion: groupVersion(resource),
  kind: resource.kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
});
