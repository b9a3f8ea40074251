import type { OptionsTable } from '@annex/runtime';

/** The configuration of `annex envtest`. */
export interface EnvtestConfig {
  dir: string | undefined;
}

/** The options of `annex envtest`. */
export const envtestOptions: OptionsTable<EnvtestConfig> = {
  dir: {
    flag: 'dir',
    type: 'path',
    help: 'The folder to write. Default: one for this version in the cache folder of the user.',
  },
};
