import type { LmdbStoreOptions } from './lmdb-store.ts';
import type { Store } from '../store.ts';

/**
 * Opens the embedded durable store of a directory. Throws StoreError `locked` while another process holds it.
 * LMDB is loaded by this call, so that a process that never opens one does not pay for it.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  const { LmdbStore } = await import('./lmdb-store.ts');
  return new LmdbStore(options);
}
