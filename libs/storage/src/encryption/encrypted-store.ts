import type { Entry, Store } from '../store.ts';
import { transformedStore } from '../transformed-store.ts';
import type { Transformer } from './transformer.ts';

/** How the values of a store are encrypted. */
export interface Encryption {
  /** Returns the current transformer of a key. */
  transformerOf(key: string): Transformer;
  /** Returns what is authenticated with the value: the key in the underlying store. */
  contextOf(key: string): string;
}

/**
 * Returns a store that keeps encrypted values in the given store. An entry that cannot be decrypted is `unreadable`; other
 * entries are not affected.
 */
export const encryptedStore = (store: Store, { transformerOf, contextOf }: Encryption): Store =>
  transformedStore(store, {
    capabilities: { ...store.capabilities, encrypted: true },
    read(entry: Entry): Entry {
      const { key } = entry;
      try {
        const { value, stale } = transformerOf(key).fromStorage(entry.value, contextOf(key));
        return stale ? { ...entry, value, stale } : { ...entry, value };
      } catch (error) {
        return { ...entry, value: noBytes, unreadable: (error as Error).message };
      }
    },
    write: (key, value) => transformerOf(key).toStorage(value, contextOf(key)),
  });

const noBytes = new Uint8Array(0);
