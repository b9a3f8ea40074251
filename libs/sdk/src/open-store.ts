import { OperatorError } from '@annex/runtime';
import {
  createEtcdStore,
  createMemoryStore,
  type EtcdClientOptions,
  openLmdbStore,
  type Store,
  StoreError,
} from '@annex/storage';

/** Where objects are kept: in memory, in a folder on disk, or in an etcd cluster. */
export type StorageSource = 'memory' | { dir: string } | { etcd: EtcdClientOptions };

/** Opens the store. Throws OperatorError where it cannot be used. */
export async function openStore(source: StorageSource): Promise<Store> {
  if (source === 'memory') return createMemoryStore();
  if ('etcd' in source) return await createEtcdStore(source.etcd);
  try {
    return await openLmdbStore({ dir: source.dir });
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    const code = cause.code === 'locked' ? 'DATA_DIR_IN_USE' : 'DATA_DIR_UNUSABLE';
    throw new OperatorError(code, cause.message, { cause });
  }
}
