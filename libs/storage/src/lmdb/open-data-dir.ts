import { OperatorError } from '@annex/runtime';
import { type Store, StoreError } from '../store.ts';
import { openLmdbStore } from './open-lmdb-store.ts';

/** The embedded store of a directory that an option names. Throws OperatorError DATA_DIR_IN_USE or DATA_DIR_UNUSABLE. */
export async function openDataDir(dir: string): Promise<Store> {
  try {
    return await openLmdbStore({ dir });
  } catch (cause) {
    const inUse = cause instanceof StoreError && cause.code === 'locked';
    throw new OperatorError(inUse ? 'DATA_DIR_IN_USE' : 'DATA_DIR_UNUSABLE', (cause as Error).message, {
      cause,
    });
  }
}
