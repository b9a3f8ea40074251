import type { LmdbStoreOptions } from './lmdb-store.ts';
import type { StoreImage } from './lmdb-image.ts';
import type { Restored, RestoreSource } from './lmdb-restore.ts';
import type { Store } from '../store.ts';
import { lockDirectory } from './directory-lock.ts';

/**
 * Opens the embedded durable store of a directory. Throws StoreError `locked` while another process holds it, and `damaged`
 * where what is stored is not whole. LMDB is loaded by this call, so that a process that never opens one does not pay for it.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  const { LmdbStore } = await import('./lmdb-store.ts');
  const { prepareDirectory } = await import('./prepare-directory.ts');
  const lock = lockDirectory(options.dir);
  try {
    await prepareDirectory(options.dir);
    return new LmdbStore(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Looks at the embedded store of a directory as it is at this moment, also while another process writes it. Throws StoreError
 * `notFound` where there is none, and `damaged` where it is not whole.
 */
export async function openStoreImage(dir: string): Promise<StoreImage> {
  const { openLmdbImage } = await import('./lmdb-image.ts');
  return await openLmdbImage(dir);
}

/**
 * Makes the embedded store of a directory hold these entries and nothing else, with the revisions that they had. The store is
 * made aside and takes the place of the old one in one step, when all of it is on the disk: whatever happens before, the old one
 * stays whole. History ends there: whoever watches from an earlier revision is told that it is compacted. Throws StoreError
 * `locked` while another process holds the directory, and `invalid` where the entries cannot be those of one store.
 */
export async function restoreStore(dir: string, source: RestoreSource): Promise<Restored> {
  const { restoreLmdbStore } = await import('./lmdb-restore.ts');
  return await restoreLmdbStore(dir, source);
}
