import { optionGroup, type OptionsTable } from '@annex/runtime';

/** The threads that serve requests. */
export interface ThreadsConfig {
  servingThreads: number;
}

/** The most threads of a process. Each one has its own heap and watch caches. */
export const maxServingThreads = 64;

/** The option of the threads that serve requests. */
export const threadsOptions: OptionsTable<ThreadsConfig> = optionGroup('Serving', {
  servingThreads: {
    flag: 'serving-threads',
    type: 'int',
    default: 1,
    min: 1,
    max: maxServingThreads,
    help: 'The number of threads that serve requests, for machines with several cores. Each connection is served by one of them. Only on Linux.',
  },
});
