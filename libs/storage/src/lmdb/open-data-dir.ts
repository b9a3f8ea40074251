import { OperatorError, type OperatorErrorCode } from '@annex/runtime';
import { type Store, StoreError, type StoreErrorCode } from '../store.ts';
import { openLmdbStore } from './open-lmdb-store.ts';

/**
 * The embedded store of a directory that an option names. Throws OperatorError DATA_DIR_IN_USE, STORE_DAMAGED or
 * DATA_DIR_UNUSABLE.
 */
export async function openDataDir(dir: string): Promise<Store> {
  try {
    return await openLmdbStore({ dir });
  } catch (cause) {
    throw dataDirError(cause as Error);
  }
}

/** What to tell the operator about a directory whose store cannot be used. */
export function dataDirError(cause: Error): OperatorError {
  const code = (cause instanceof StoreError && codes[cause.code]) || 'DATA_DIR_UNUSABLE';
  return new OperatorError(code, cause.message, { cause });
}

const codes: Partial<Record<StoreErrorCode, OperatorErrorCode>> = {
  locked: 'DATA_DIR_IN_USE',
  damaged: 'STORE_DAMAGED',
};
