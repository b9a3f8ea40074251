import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createLifecycle, type Lifecycle, type Logger, type Metrics, OperatorError } from '@annex/runtime';
import {
  createMemoryStore,
  openDataDir,
  type RunningEtcdServer,
  startEtcdServer,
  type Store,
} from '@annex/storage';
import { HealthServer } from './health.ts';
import type { ObjectStorageConfig } from './options.ts';

/** Dependencies of object-storage. */
export interface ObjectStorageDeps {
  log: Logger;
  metrics: Metrics;
}

/** The etcd v3 API over the embedded store. */
export interface ObjectStorage extends Lifecycle {
  readonly name: string;
  /** The client URLs; known after the start. */
  readonly urls: readonly string[];
  /** The URLs of the health endpoints; known after the start. */
  readonly healthUrls: readonly string[];
}

/** Creates object-storage. Starting it throws OperatorErrors for errors that the operator can fix. */
export function createObjectStorage(deps: ObjectStorageDeps, config: ObjectStorageConfig): ObjectStorage {
  const { log, metrics } = deps;
  const urls: string[] = [];
  const healthUrls: string[] = [];
  let store: Store | undefined;
  let server: RunningEtcdServer | undefined;
  let health: HealthServer | undefined;
  const sizeOf = config.ephemeral ? () => 0 : () => fileSize(config.dataDir);
  const lifecycle = createLifecycle([
    {
      name: 'store',
      async start() {
        store = config.ephemeral ? createMemoryStore() : await openDataDir(config.dataDir, log);
        health = new HealthServer(store, metrics, config);
        measure(metrics, store, sizeOf);
      },
      stop: () => store?.close(),
    },
    {
      name: 'etcd server',
      async start() {
        server = await listen(() =>
          startEtcdServer(store!, {
            ...serverOptions(config),
            size: sizeOf,
            http1: (socket) => health?.serve(socket),
          }),
        );
        urls.push(...server.urls);
        log.info('serving the etcd v3 API', { urls: server.urls, dataDir: config.dataDir });
      },
      stop: () => server?.stop(),
    },
    {
      name: 'health',
      async start() {
        for (const url of config.listenMetricsUrls) healthUrls.push(await listen(() => health!.listen(url)));
      },
      stop: () => health?.stop(),
    },
  ]);
  return { name: 'object-storage', urls, healthUrls, ...lifecycle };
}

function serverOptions(config: ObjectStorageConfig) {
  return {
    listen: config.listenClientUrls,
    ...(config.advertiseClientUrls.length > 0 ? { advertise: config.advertiseClientUrls } : {}),
    ...(config.certFile ? { cert: readFile(config.certFile) } : {}),
    ...(config.keyFile ? { key: readFile(config.keyFile) } : {}),
    ...(config.clientCertAuth && config.trustedCaFile ? { clientCa: readFile(config.trustedCaFile) } : {}),
    connectionLimits: config,
    notifyMilliseconds: config.watchProgressNotifyInterval,
  };
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new OperatorError('FILE_UNREADABLE', (cause as Error).message, { cause });
  }
}

async function listen<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (cause) {
    const { message } = cause as Error;
    if (/EADDRINUSE/.test(message)) throw new OperatorError('PORT_IN_USE', message, { cause });
    if (/EADDRNOTAVAIL|EACCES/.test(message))
      throw new OperatorError('ADDRESS_UNAVAILABLE', message, { cause });
    throw cause;
  }
}

function fileSize(dir: string): number {
  return statSync(join(dir, 'data.mdb')).size;
}

function measure(metrics: Metrics, store: Store, size: () => number): void {
  let revision = 0;
  const refresh = () => {
    store.currentRevision().then(
      (current) => (revision = current),
      () => undefined,
    );
  };
  refresh();
  metrics.gauge('annex_store_size_bytes', 'Size of the data on disk.', [], (gauge) => gauge.set({}, size()));
  metrics.gauge('annex_store_revision', 'The revision of the newest write.', [], (gauge) => {
    gauge.set({}, revision);
    refresh();
  });
}
