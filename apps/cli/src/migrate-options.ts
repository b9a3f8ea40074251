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
    help: 'Every CustomResourceDefinition with more than its storage version in status.storedVersions.',
  },
  dryRun: {
    flag: 'dry-run',
    type: 'bool',
    default: false,
    help: 'Let the server try every write, and store nothing.',
  },
  pageSize: {
    flag: 'page-size',
    type: 'int',
    default: 500,
    min: 1,
    max: 10_000,
    help: 'How many objects are listed at once.',
  },
  parallel: {
    flag: 'parallel',
    type: 'int',
    default: 8,
    min: 1,
    max: 64,
    help: 'How many objects are written side by side.',
  },
  ...clientCommandOptions,
};
