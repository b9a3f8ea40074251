import { constants } from 'node:os';
import { type Logger, OperatorError, type OperatorErrorCode } from '@annex/runtime';
import { type Store, StoreError, type StoreErrorCode } from '../store.ts';
import { openLmdbStore } from './open-lmdb-store.ts';

/**
 * Opens the embedded store of the directory of an option. Throws OperatorError DATA_DIR_IN_USE, STORE_DAMAGED,
 * DISK_FULL or DATA_DIR_UNUSABLE.
 */
export async function openDataDir(dir: string, log: Logger): Promise<Store> {
  try {
    return await openLmdbStore({ dir, onDamage: ({ message }) => log.error(message) });
  } catch (cause) {
    throw dataDirError(cause as Error);
  }
}

/** Converts the error of an unusable store to an OperatorError. */
export function dataDirError(cause: Error): OperatorError {
  return new OperatorError(codeOf(cause), cause.message, { cause });
}

function codeOf(cause: Error & { code?: unknown }): OperatorErrorCode {
  // LMDB's own errors have a number.
  if (cause.code === constants.errno.ENOSPC) return 'DISK_FULL';
  return (cause instanceof StoreError && codes[cause.code]) || 'DATA_DIR_UNUSABLE';
}

const codes: Partial<Record<StoreErrorCode, OperatorErrorCode>> = {
  locked: 'DATA_DIR_IN_USE',
  damaged: 'STORE_DAMAGED',
  notFound: 'STORE_MISSING',
  noSpace: 'DISK_FULL',
};
