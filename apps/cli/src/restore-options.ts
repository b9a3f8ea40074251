import type { OptionsTable } from '@annex/runtime';

/** The configuration of `annex restore`. */
export interface RestoreConfig {
  dataDir: string;
  storeDir: string | undefined;
}

/** The options of `annex restore`. */
export const restoreOptions: OptionsTable<RestoreConfig> = {
  dataDir: {
    flag: 'data-dir',
    type: 'path',
    default: '.annex',
    help: 'The data directory of annex up, on which nothing may run; what its store holds is replaced. Keys stay.',
  },
  storeDir: {
    flag: 'store-dir',
    type: 'path',
    help: 'The folder of the store, as the data directory of object-storage is one; store in the data directory by default.',
  },
};
