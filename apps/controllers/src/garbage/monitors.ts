import type { Informer } from '@annex/client';
import { groupVersion, type KubeObject, qualifiedResource } from '@annex/machinery';
import type { ControllerDeps } from '../controller.ts';
import {
  type ApiResource,
  type Discovered,
  KindMapping,
  resourcePath,
  supports,
} from '../discovery/resource-discovery.ts';
import { type Identity, ownershipMeta, type OwnershipMeta } from './identity.ts';

/** Handlers of changes of all objects. */
export interface MonitorHandlers {
  observe(identity: Identity, meta: OwnershipMeta, previous?: OwnershipMeta): void;
  remove(identity: Identity): void;
  /** The served kinds changed. */
  kindsChanged(): void;
}

interface Monitor {
  resource: ApiResource;
  informer: Informer;
  /** Resolves when the objects of the kind are known, or after a timeout. */
  settled: Promise<void>;
}

/** Events expire and own nothing. */
const ignored = new Set(['events', 'events.events.k8s.io']);

const settleMs = 10_000;

/** Watches the metadata of all deletable objects, of every kind in one version, and follows changes of the served kinds. */
export class Monitors {
  readonly #deps: ControllerDeps;
  readonly #handlers: MonitorHandlers;
  readonly #monitors = new Map<string, Monitor>();
  readonly #pending = new Set<Promise<void>>();
  #mapping = new KindMapping({ resources: [] });

  constructor(deps: ControllerDeps, handlers: MonitorHandlers) {
    this.#deps = deps;
    this.#handlers = handlers;
    deps.served.listen(async (discovered, undefinedNames) => {
      this.#mapping = new KindMapping(discovered);
      await this.#follow(discovered, undefinedNames);
      handlers.kindsChanged();
    });
  }

  /** Returns the kinds that are known now. */
  get mapping(): KindMapping {
    return this.#mapping;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#monitors.values()].map(({ informer }) => informer.stop()));
  }

  /** Resolves when all objects of all kinds are known, except for servers that do not respond. */
  async settled(): Promise<void> {
    await this.#deps.served.first;
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #follow({ preferred, stale }: Discovered, undefinedNames: ReadonlySet<string>): Promise<void> {
    const wanted = new Map<string, ApiResource>();
    for (const resource of preferred) {
      if (ignored.has(qualifiedResource(resource)) || !supports(resource, 'delete', 'list', 'watch'))
        continue;
      wanted.set(resourcePath(resource), resource);
    }
    const stopped: Promise<void>[] = [];
    for (const [path, monitor] of this.#monitors) {
      // A server that does not respond still has its objects.
      if (wanted.has(path) || stale.has(groupVersion(monitor.resource))) continue;
      this.#monitors.delete(path);
      stopped.push(this.#end(monitor, undefinedNames.has(qualifiedResource(monitor.resource))));
    }
    for (const [path, resource] of wanted) {
      if (!this.#monitors.has(path)) this.#monitors.set(path, this.#watch(path, resource));
    }
    await Promise.all(stopped);
  }

  async #end({ informer, resource }: Monitor, gone: boolean): Promise<void> {
    await informer.stop();
    if (!gone) return;
    for (const object of informer.list()) this.#handlers.remove(identityOf(resource, object));
  }

  #watch(path: string, resource: ApiResource): Monitor {
    const { api, clock } = this.#deps;
    const { observe, remove } = this.#handlers;
    const informer = api.informer<KubeObject>(
      path,
      {
        added: (object) => observe(identityOf(resource, object), object.metadata),
        modified: (object, previous) => {
          const replaced = object.metadata.uid !== previous.metadata.uid;
          // Between two lists, another object of the same name may have replaced an object.
          if (replaced) remove(identityOf(resource, previous));
          observe(identityOf(resource, object), object.metadata, replaced ? undefined : previous.metadata);
        },
        deleted: (object) => remove(identityOf(resource, object)),
      },
      { metadataOnly: true, keep: ownershipMeta },
    );
    const settled = Promise.race([informer.start(), clock.sleep(settleMs)]);
    this.#pending.add(settled);
    void settled.then(() => this.#pending.delete(settled));
    return { resource, informer, settled };
  }
}

const identityOf = (resource: ApiResource, { metadata }: KubeObject): Identity => ({
  apiVersion: groupVersion(resource),
  kind: resource.kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
});
