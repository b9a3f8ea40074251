import { builtinStoragePrefix, type KubeObject } from '@annex/machinery';
import type { StoredObject, WatchCache } from '@annex/storage';

/** The kinds that tokens are bound to. */
export type BoundResource = 'serviceaccounts' | 'pods' | 'secrets' | 'nodes';

/** Finds the objects that tokens are bound to. */
export interface BoundObjects {
  /** Returns the object of that name (nodes have no namespace), or `undefined`. */
  get(resource: BoundResource, namespace: string, name: string): MaybePromise<KubeObject | undefined>;
}

type MaybePromise<T> = T | Promise<T>;

/** Reads the watch caches of a feed; for objects that they lack, the latest state of the store. */
export function feedBoundObjects(feed: { objects(prefix: string): WatchCache<StoredObject> }): BoundObjects {
  return {
    get(resource, namespace, name) {
      const prefix = builtinStoragePrefix('', resource);
      const cache = feed.objects(prefix);
      const key = `${prefix}${resource === 'nodes' ? '' : `${namespace}/`}${name}`;
      return cache.get(key)?.value.object ?? cache.waitFor().then(() => cache.get(key)?.value.object);
    },
  };
}
