import { createMetrics, type Logger, OperatorError, readOptionalFile, systemClock } from '@annex/runtime';
import { measuredStore, type ServerDeps } from '@annex/server';
import { createEtcdStore, createFeed, StoreError } from '@annex/storage';
import type { StandaloneConfig } from './options.ts';

/** Opens the etcd cluster of the options, and follows it. Throws OperatorError STORE_UNREACHABLE. */
export async function openStandaloneDeps(config: StandaloneConfig, log: Logger): Promise<ServerDeps> {
  const [ca, cert, key] = await Promise.all(
    [config.etcdCafile, config.etcdCertfile, config.etcdKeyfile].map(readOptionalFile),
  );
  const metrics = createMetrics();
  const opened = await createEtcdStore({
    servers: config.etcdServers,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
  const store = measuredStore(opened, metrics);
  const feed = createFeed(store, { clock: systemClock, log });
  try {
    await feed.start();
  } catch (cause) {
    await feed.close();
    await store.close();
    if (!(cause instanceof StoreError)) throw cause;
    const where = config.etcdServers.join(', ');
    throw new OperatorError('STORE_UNREACHABLE', `cannot reach ${where}: ${cause.message}`, { cause });
  }
  return { store, feed, clock: systemClock, log, metrics };
}
