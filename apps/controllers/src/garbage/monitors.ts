import { groupVersion, type KubeObject, qualifiedResource } from '@annex/machinery';
import { pause } from '@annex/server';
import type { ControllerDeps } from '../controller.ts';
import {
  type ApiResource,
  type Discovered,
  KindMapping,
  resourcePath,
  supports,
} from '../discovery/resource-discovery.ts';
import { ResourceInformers } from '../discovery/resource-informers.ts';
import { type Identity, ownershipMeta, type OwnershipMeta } from './identity.ts';

/** Handlers of changes of all objects. */
export interface MonitorHandlers {
  observe(identity: Identity, meta: OwnershipMeta, previous?: OwnershipMeta): void;
  remove(identity: Identity): void;
  /** The served kinds changed. */
  kindsChanged(): void;
}

/** Events expire and own nothing. */
const ignored = new Set(['events', 'events.events.k8s.io']);

/** Watches the metadata of all deletable objects, of every kind in one version, and follows changes of the served kinds. */
export class Monitors {
  readonly #handlers: MonitorHandlers;
  readonly #informers: ResourceInformers<{ resource: ApiResource }>;
  #mapping = new KindMapping({ resources: [] });

  constructor(deps: ControllerDeps, handlers: MonitorHandlers) {
    this.#informers = new ResourceInformers(deps);
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

  stop(): Promise<void> {
    return this.#informers.stop();
  }

  /** Resolves when all objects of all kinds are known, except for servers that do not respond. */
  settled(): Promise<void> {
    return this.#informers.settled();
  }

  async #follow({ preferred, stale }: Discovered, undefinedNames: ReadonlySet<string>): Promise<void> {
    const wanted = new Map<string, ApiResource>();
    for (const resource of preferred) {
      if (ignored.has(qualifiedResource(resource)) || !supports(resource, 'delete', 'list', 'watch'))
        continue;
      wanted.set(resourcePath(resource), resource);
      const paused = pause();
      if (paused) await paused;
    }
    const ended = this.#informers.keep(
      // A server that does not respond still has its objects.
      ({ resource }) => wanted.has(resourcePath(resource)) || stale.has(groupVersion(resource)),
      ({ resource }, objects) => {
        if (!undefinedNames.has(qualifiedResource(resource))) return;
        for (const object of objects) this.#handlers.remove(identityOf(resource, object));
      },
    );
    // Thousands of kinds can be served at the first discovery, or when a server responds again.
    for (const resource of wanted.values()) {
      this.#watch(resource);
      const paused = pause();
      if (paused) await paused;
    }
    await ended;
  }

  #watch(resource: ApiResource): void {
    const { observe, remove } = this.#handlers;
    this.#informers.start(
      { resource },
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
  }
}

const identityOf = (resource: ApiResource, { metadata }: KubeObject): Identity => ({
  apiVersion: groupVersion(resource),
  kind: resource.kind,
  namespace: metadata.namespace ?? '',
  name: metadata.name ?? '',
  uid: metadata.uid ?? '',
});
