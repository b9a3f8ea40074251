import type { Store } from '../store.ts';
import type { EtcdServerOptions } from './etcd-server.ts';

/** A running etcd server. */
export interface RunningEtcdServer {
  /** The URLs that clients connect to. */
  readonly urls: readonly string[];
  /** Ends all calls and stops listening. The store stays open. */
  stop(): Promise<void>;
}

/**
 * Serves the subset of the etcd v3 protocol that kube-apiserver uses, from a store. Other requests are
 * refused with the name of the unsupported field. This call loads gRPC, so that processes that do not use it
 * do not pay for it.
 */
export async function startEtcdServer(store: Store, options: EtcdServerOptions): Promise<RunningEtcdServer> {
  const { EtcdServer } = await import('./etcd-server.ts');
  const server = new EtcdServer(store, options);
  await server.start();
  return server;
}
