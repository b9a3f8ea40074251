import type { Store } from '../store.ts';
import type { StoreConnection } from './protocol.ts';
import type { SharedStore } from './share-store.ts';

/** Stores that several threads of a process use. */
export interface ThreadStoreModule {
  shareStore(store: Store): SharedStore;
  openThreadStore(connection: StoreConnection): Store;
}

/** Loads the code of stores that several threads use, which most processes do not need. */
export async function loadThreadStores(): Promise<ThreadStoreModule> {
  const [{ shareStore }, { openThreadStore }] = await Promise.all([
    import('./share-store.ts'),
    import('./thread-store.ts'),
  ]);
  return { shareStore, openThreadStore };
}
