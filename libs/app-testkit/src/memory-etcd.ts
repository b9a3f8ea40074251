import { createMemoryStore, startEtcdServer } from '@annex/storage';

/** Starts the etcd server of Annex in this process, with its store in memory. Resolves to its URL. */
export async function startMemoryEtcd(opened: AsyncDisposableStack): Promise<string> {
  const store = createMemoryStore();
  opened.defer(() => store.close());
  const server = await startEtcdServer(store, { listen: ['http://127.0.0.1:0'] });
  opened.defer(() => server.stop());
  return server.urls[0]!;
}
