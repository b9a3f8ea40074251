import { posix } from 'node:path';
import { type EgressSelector, type Logger, OperatorError, readOptionalFile } from '@annex/runtime';
import { createEtcdStore, prefixedStore, type Store, StoreError } from '@annex/storage';
import type { EtcdConfig } from './etcd-options.ts';

/** Opens the etcd cluster of the options. Throws OperatorError STORE_UNREACHABLE. */
export async function openEtcdStore(
  config: EtcdConfig,
  _log?: Logger,
  egress?: EgressSelector,
): Promise<Store> {
  const [ca, cert, key] = await Promise.all(
    [config.etcdCafile, config.etcdCertfile, config.etcdKeyfile].map(readOptionalFile),
  );
  const store = await createEtcdStore({
    servers: config.etcdServers,
    dial: egress?.dialerFor('etcd'),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
  try {
    await store.currentRevision();
    return prefixedStore(store, keyPrefix(config.etcdPrefix));
  } catch (cause) {
    await store.close();
    if (!(cause instanceof StoreError)) throw cause;
    const where = config.etcdServers.join(', ');
    throw new OperatorError('STORE_UNREACHABLE', `cannot reach ${where}: ${cause.message}`, { cause });
  }
}

/** As kube-apiserver reads the option: slashes at both ends, and none twice. */
const keyPrefix = (prefix: string): string => posix.join('/', prefix, '/');
