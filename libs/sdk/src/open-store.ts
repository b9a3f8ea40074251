import {
  createEtcdStore,
  createMemoryStore,
  type EtcdClientOptions,
  openDataDir,
  type Store,
} from '@annex/storage';

/** Where objects are kept: in memory, in a folder on disk, in an etcd cluster, or in a store of your own, which the server closes. */
export type StorageSource = 'memory' | { dir: string } | { etcd: EtcdClientOptions } | Store;

/** Opens the store. Throws OperatorError where it cannot be used. */
export async function openStore(source: StorageSource): Promise<Store> {
  if (source === 'memory') return createMemoryStore();
  if ('currentRevision' in source) return source;
  return await ('etcd' in source ? createEtcdStore(source.etcd) : openDataDir(source.dir));
}
