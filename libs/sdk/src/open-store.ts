import {
  createEtcdStore,
  createMemoryStore,
  type EtcdClientOptions,
  openDataDir,
  type Store,
} from '@annex/storage';

/** Where objects are kept: in memory, in a folder on disk, or in an etcd cluster. */
export type StorageSource = 'memory' | { dir: string } | { etcd: EtcdClientOptions };

/** Opens the store. Throws OperatorError where it cannot be used. */
export async function openStore(source: StorageSource): Promise<Store> {
  if (source === 'memory') return createMemoryStore();
  return await ('etcd' in source ? createEtcdStore(source.etcd) : openDataDir(source.dir));
}
