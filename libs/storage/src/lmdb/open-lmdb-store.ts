import type { LmdbStoreOptions } from './lmdb-store.ts';
import type { StoreImage } from './lmdb-image.ts';
import type { Restored, RestoreSource } from './lmdb-restore.ts';
import type { Store } from '../store.ts';
import { lockDirectory } from './directory-lock.ts';

/**
 * Opens the embedded durable store of a directory. Throws StoreError `locked` while another process holds it,
 * and `damaged` if the data file is damaged. This call loads LMDB, so that processes that do not use it do
 * not pay for it.
 */
export async function openLmdbStore(options: LmdbStoreOptions): Promise<Store> {
  const { LmdbStore } = await import('./lmdb-store.ts');
  const { prepareDirectory } = await import('./prepare-directory.ts');
  const lock = lockDirectory(options.dir);
  try {
    if (await prepareDirectory(options.dir)) return new LmdbStore(options, lock);
    const { LateCheck } = await import('./late-check.ts');
    return new LmdbStore(options, lock, LateCheck);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Opens a snapshot of the embedded store of a directory, even while another process writes it. Throws
 * StoreError `notFound` if there is none, and `damaged` if it is damaged.
 */
export async function openStoreImage(dir: string): Promise<StoreImage> {
  const { openLmdbImage } = await import('./lmdb-image.ts');
  return await openLmdbImage(dir);
}

/**
 * Replaces the content of the embedded store of a directory with these entries and their revisions. The new
 * store is written next to the old one and replaces it in one step when it is durable; until then the old one
 * stays intact. Its history starts there: watches from an earlier revision fail with `compacted`. Throws
 * StoreError `locked` while another process holds the directory, and `invalid` if the entries contradict each
 * other.
 */
export async function restoreStore(dir: string, source: RestoreSource): Promise<Restored> {
  const { restoreLmdbStore } = await import('./lmdb-restore.ts');
  return await restoreLmdbStore(dir, source);
}
