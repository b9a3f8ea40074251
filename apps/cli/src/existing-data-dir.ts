import type { OptionRow } from '@annex/runtime';

/** The option of commands that use the data directory of an existing Annex. */
export const existingDataDir: OptionRow<string | undefined> = {
  flag: 'data-dir',
  type: 'path',
  help: 'The data directory of annex up; by default .annex in this folder or in the nearest parent folder.',
};
