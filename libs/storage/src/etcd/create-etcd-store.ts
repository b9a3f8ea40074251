import type { Store } from '../store.ts';
import type { EtcdStoreOptions } from './etcd-store.ts';

/**
 * A store on an etcd v3 cluster. It connects when it is first used and reconnects by itself.
 * gRPC is loaded by this call, so that a process that never speaks it does not pay for it.
 */
export async function createEtcdStore(options: EtcdStoreOptions): Promise<Store> {
  const { EtcdStore } = await import('./etcd-store.ts');
  return new EtcdStore(options);
}
