import { posix } from 'node:path';
import { type EgressSelector, type Logger, OperatorError, readOptionalFile } from '@annex/runtime';
import { createEtcdStore, prefixedStore, type Store, StoreError } from '@annex/storage';
import type { EtcdConfig } from './etcd-options.ts';

/** Opens the etcd cluster of the options. It connects when it is first used: {@link unreachableStore} explains failures then. */
export async function openEtcdStore(
  config: Pick<EtcdConfig, 'etcdServers' | 'etcdPrefix' | 'etcdCafile' | 'etcdCertfile' | 'etcdKeyfile'>,
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
  return prefixedStore(store, keyPrefix(config.etcdPrefix));
}

/** Returns OperatorError STORE_UNREACHABLE for an error of etcd; other errors stay as they are. */
export function unreachableStore({ etcdServers = [] }: Partial<EtcdConfig>, cause: unknown): unknown {
  if (!(cause instanceof StoreError) || etcdServers.length === 0) return cause;
  // Messages of OpenSSL end with a line break.
  const message = `cannot reach ${etcdServers.join(', ')}: ${cause.message.trimEnd()}`;
  return new OperatorError('STORE_UNREACHABLE', message, { cause });
}

/** Returns OperatorError DISK_FULL for an error of a full disk; other errors stay as they are. */
export function fullDisk(cause: unknown): unknown {
  if (!(cause instanceof StoreError) || cause.code !== 'noSpace') return cause;
  return new OperatorError('DISK_FULL', cause.message, { cause });
}

/** As kube-apiserver reads the option: slashes at both ends, and none twice. */
const keyPrefix = (prefix: string): string => posix.join('/', prefix, '/');
