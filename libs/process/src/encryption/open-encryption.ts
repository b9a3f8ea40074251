import { posix } from 'node:path';
import {
  aggregateText,
  ConfigurationError,
  type ConfigurationReloads,
  configurationReloads,
} from '@annex/auth';
import { fieldErrorText } from '@annex/machinery';
import {
  type Clock,
  type LiveFiles,
  type LiveText,
  type Logger,
  type Metrics,
  OperatorError,
  readOptionFile,
} from '@annex/runtime';
import { loadEncryption, type Store } from '@annex/storage';
import type { EtcdConfig } from '../etcd-options.ts';
import { readEncryptionConfiguration } from './configuration.ts';
import { resourceOfKey } from './group-resource.ts';
import { createTransformers, type Transformers } from './transformers.ts';
import { validateEncryptionConfiguration } from './validate.ts';

/** What a configuration file needs that is reloaded. */
export interface EncryptionDeps {
  files: LiveFiles;
  log: Pick<Logger, 'info' | 'error'>;
  metrics: Pick<Metrics, 'counter' | 'gauge'>;
  clock: Pick<Clock, 'now'>;
}

/** Returns a function that encrypts a store by a configuration file. Throws OperatorError FILE_UNREADABLE. */
export async function openEncryption(
  file: string,
  config: Pick<EtcdConfig, 'encryptionProviderConfigAutomaticReload' | 'etcdPrefix' | 'etcdServers'>,
  deps: EncryptionDeps,
): Promise<(store: Store) => Store> {
  const { encryptedStore } = await loadEncryption();
  const live = config.encryptionProviderConfigAutomaticReload ? await deps.files.open(file) : undefined;
  const text = live?.current() ?? (await readOptionFile(file));
  const first = await readTransformers(text).catch((cause: Error) => {
    throw new OperatorError('FILE_UNREADABLE', `--encryption-provider-config ${file}: ${cause.message}`, {
      cause,
    });
  });
  const current = live === undefined ? () => first : followed(live, first, deps);
  const transformerOf = (key: string) => current()(resourceOfKey(key));
  return (store) => encryptedStore(store, { transformerOf, contextOf: contextOf(config) });
}

/** Keys in the embedded store are those of etcd without `--etcd-prefix`. */
function contextOf({ etcdPrefix, etcdServers }: Pick<EtcdConfig, 'etcdPrefix' | 'etcdServers'>) {
  const prefix = etcdServers.length === 0 ? '/registry' : posix.join('/', etcdPrefix);
  return (key: string): string => prefix + key.slice('/registry'.length);
}

/** Reads a configuration. Rejects with `ConfigurationError` and kube-apiserver's text. */
export async function readTransformers(text: string): Promise<Transformers> {
  const failed = (doing: string) => (cause: Error) => {
    throw new ConfigurationError(`error while ${doing}: ${cause.message}`);
  };
  const configuration = await readEncryptionConfiguration(text).catch(failed('parsing file'));
  const errors = validateEncryptionConfiguration(configuration);
  if (errors.length > 0) return failed('parsing file')(new Error(aggregateText(errors.map(fieldErrorText))));
  try {
    return createTransformers(configuration, await loadEncryption());
  } catch (cause) {
    return failed('building transformers')(cause as Error);
  }
}

/** Returns the newest valid transformers of a file; changes are read one after the other. */
function followed(live: LiveText, first: Transformers, { clock, log, metrics }: EncryptionDeps) {
  let current = first;
  let changes: Promise<void> = Promise.resolve();
  const reloads: ConfigurationReloads = configurationReloads('encryption', metrics, clock);
  reloads.loaded(live.current());
  live.onUnreadable?.(() => reloads.failed());
  const change = async (text: string): Promise<void> => {
    try {
      current = await readTransformers(text);
    } catch (error) {
      log.error('reloading the encryption configuration failed, the previous one stays in use', { error });
      return reloads.failed();
    }
    log.info('reloaded the encryption configuration');
    reloads.reloaded(text);
  };
  live.onChange(() => (changes = changes.then(() => change(live.current()))));
  return () => current;
}
