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
    help: 'The data directory of annex up. Its store is replaced, its keys are kept. No process may use it.',
  },
  storeDir: {
    flag: 'store-dir',
    type: 'path',
    help: 'The folder of the store, such as the data directory of object-storage; by default the folder store of the data directory.',
  },
};
