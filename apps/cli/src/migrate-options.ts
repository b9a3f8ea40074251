import type { OptionsTable } from '@annex/runtime';
import { type ClientCommandConfig, clientCommandOptions } from './client-command.ts';

/** The configuration of `annex migrate`. */
export interface MigrateConfig extends ClientCommandConfig {
  all: boolean;
  dryRun: boolean;
  pageSize: number;
  parallel: number;
}

/** The options of `annex migrate`. */
export const migrateOptions: OptionsTable<MigrateConfig> = {
  all: {
    flag: 'all',
    type: 'bool',
    default: false,
    help: 'Migrate every CustomResourceDefinition with more than its storage version in status.storedVersions.',
  },
  dryRun: {
    flag: 'dry-run',
    type: 'bool',
    default: false,
    help: 'Send every write as a dry run; store nothing.',
  },
  pageSize: {
    flag: 'page-size',
    type: 'int',
    default: 500,
    min: 1,
    max: 10_000,
    help: 'The number of objects in a page of a list.',
  },
  parallel: {
    flag: 'parallel',
    type: 'int',
    default: 8,
    min: 1,
    max: 64,
    help: 'The number of concurrent writes.',
  },
  ...clientCommandOptions,
};
