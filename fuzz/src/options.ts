import type { OptionsTable } from '@annex/runtime';

/** The targets and the duration of fuzzing. */
export interface FuzzOptions {
  seconds: number;
  inputs?: number;
  only: readonly string[];
  seed?: number;
  cases?: string;
  go: boolean;
  list: boolean;
}

export const fuzzOptions: OptionsTable<FuzzOptions> = {
  seconds: {
    flag: 'seconds',
    env: false,
    type: 'int',
    default: 10,
    min: 1,
    max: 86_400,
    help: 'Seconds of fuzzing for each target.',
  },
  inputs: {
    flag: 'inputs',
    env: false,
    type: 'int',
    min: 1,
    max: 1_000_000_000,
    help: 'The maximum number of inputs of each target.',
  },
  only: {
    flag: 'only',
    env: false,
    type: 'list',
    default: [],
    help: 'Fuzz only the targets with these names, or with these words in their names.',
  },
  seed: {
    flag: 'seed',
    env: false,
    type: 'int',
    min: 0,
    max: 0xffff_ffff,
    help: 'The seed of the random numbers, which is printed; by default a random one.',
  },
  cases: {
    flag: 'cases',
    env: false,
    type: 'path',
    help: 'The folder for findings; fuzz/cases by default.',
  },
  go: {
    flag: 'go',
    env: false,
    type: 'bool',
    default: true,
    help: 'Compare with the Go functions, if Go is installed.',
  },
  list: {
    flag: 'list',
    env: false,
    type: 'bool',
    default: false,
    help: 'Print the targets with the totals of their campaigns, and stop.',
  },
};
