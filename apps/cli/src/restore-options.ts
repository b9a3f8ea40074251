import type { OptionsTable } from '@annex/runtime';
import { existingDataDir } from './existing-data-dir.ts';
import { type EtcdSnapshotConfig, etcdSnapshotOptions } from './snapshot/etcd-snapshot-options.ts';

/** The configuration of `annex restore`. */
export interface RestoreConfig extends EtcdSnapshotConfig {
  dataDir: string | undefined;
  storeDir: string | undefined;
}

/** The options of `annex restore`. */
export const restoreOptions: OptionsTable<RestoreConfig> = {
  dataDir: {
    ...existingDataDir,
    help: 'The data directory of annex up; by default .annex in this folder or in the nearest parent folder. Its store is replaced, its keys are kept. No process may use it.',
  },
  storeDir: {
    flag: 'store-dir',
    type: 'path',
    help: 'The folder of the store, such as the data directory of object-storage; by default the folder store of the data directory.',
  },
  ...etcdSnapshotOptions,
};
