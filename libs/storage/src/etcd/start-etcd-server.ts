import type { Store } from '../store.ts';
import type { EtcdServerOptions } from './etcd-server.ts';

/** A running etcd server. */
export interface RunningEtcdServer {
  /** Where it is reached. */
  readonly urls: readonly string[];
  /** Ends all calls and stops listening. The store stays open. */
  stop(): Promise<void>;
}

/**
 * Serves a store by the etcd v3 protocol, as far as kube-apiserver uses it; what is not served is refused by name.
 * gRPC is loaded by this call, so that a process that never speaks it does not pay for it.
 */
export async function startEtcdServer(store: Store, options: EtcdServerOptions): Promise<RunningEtcdServer> {
  const { EtcdServer } = await import('./etcd-server.ts');
  const server = new EtcdServer(store, options);
  await server.start();
  return server;
}
