import type { Store } from '../store.ts';
import type { EtcdStoreOptions } from './etcd-store.ts';

/**
 * Creates a store on an etcd v3 cluster. It connects on first use and reconnects after failures. This call
 * loads gRPC, so that processes that do not use etcd do not pay for it.
 */
export async function createEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const { EtcdStore } = await import('./etcd-store.ts');
  return new EtcdStore(options);
}
