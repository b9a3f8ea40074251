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
    help: 'The data directory of annex up, which may be running.',
  },
  storeDir: {
    flag: 'store-dir',
    type: 'path',
    help: 'The folder of the store, such as the data directory of object-storage; by default the folder store of the data directory.',
  },
};
