import type { OptionsTable } from '@annex/runtime';

/** The configuration of `annex snapshot`. */
export interface SnapshotConfig {
  dataDir: string;
  storeDir: string | undefined;
}

/** The options of `annex snapshot`. */
export const snapshotOptions: OptionsTable<SnapshotConfig> = {
  dataDir: {
    flag: 'data-dir',
    type: 'path',
    default: '.annex',
    help: 'The data directory of annex up, which may run meanwhile.',
  },
  storeDir: {
    flag: 'store-dir',
    type: 'path',
    help: 'The folder of the store, as the data directory of object-storage is one; store in the data directory by default.',
  },
};
