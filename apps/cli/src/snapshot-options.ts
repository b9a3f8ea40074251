import type { OptionsTable } from '@annex/runtime';
import { existingDataDir } from './existing-data-dir.ts';
import { type EtcdSnapshotConfig, etcdSnapshotOptions } from './snapshot/etcd-snapshot-options.ts';

/** The configuration of `annex snapshot`. */
export interface SnapshotConfig extends EtcdSnapshotConfig {
  dataDir: string | undefined;
  storeDir: string | undefined;
}

/** The options of `annex snapshot`. */
export const snapshotOptions: OptionsTable<SnapshotConfig> = {
  dataDir: {
    ...existingDataDir,
    help: 'The data directory of annex up, which may be running; by default .annex in this folder or in the nearest parent folder.',
  },
  storeDir: {
    flag: 'store-dir',
    type: 'path',
    help: 'The folder of the store, such as the data directory of object-storage; by default the folder store of the data directory.',
  },
  ...etcdSnapshotOptions,
};
