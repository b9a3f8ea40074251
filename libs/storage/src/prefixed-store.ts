import type { Store } from './store.ts';
import { transformedStore } from './transformed-store.ts';

/** The beginning of all keys of Annex, as of kube-apiserver by default. */
const ownPrefix = '/registry/';

/** Returns a store whose keys begin with another prefix in the given store. The prefix ends in a slash. */
export function prefixedStore(store: Store, prefix: string): Store {
  if (prefix === ownPrefix) return store;
  return transformedStore(store, {
    capabilities: store.capabilities,
    keys: {
      stored(key) {
        if (!key.startsWith(ownPrefix)) throw new Error(`the key ${key} does not begin with ${ownPrefix}`);
        return prefix + key.slice(ownPrefix.length);
      },
      own: (key) => ownPrefix + key.slice(prefix.length),
    },
  });
}
