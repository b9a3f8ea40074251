import type { Logger } from '@annex/runtime';
import {
  createEtcdStore,
  createMemoryStore,
  type EtcdClientOptions,
  openDataDir,
  type Store,
} from '@annex/storage';

/**
 * The storage of objects: in memory, in a folder on disk, in an etcd cluster, or a custom store, which the
 * server closes.
 */
export type StorageSource = 'memory' | { dir: string } | { etcd: EtcdClientOptions } | Store;

/** Opens the store. Throws OperatorError if it cannot be used. */
export async function openStore(source: StorageSource, log: Logger): Promise<Store> {
  if (source === 'memory') return createMemoryStore();
  if ('currentRevision' in source) return source;
  return await ('etcd' in source ? createEtcdStore(source.etcd) : openDataDir(source.dir, log));
}
