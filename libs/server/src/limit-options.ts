import type { OptionsTable } from '@annex/runtime';

/** How much a server takes on. */
export interface LimitConfig {
  requestTimeout: number;
  maxRequestsInflight: number;
}

/** The limits of requests, with kube-apiserver's names and defaults. */
export const limitOptions: OptionsTable<LimitConfig> = {
  requestTimeout: {
    flag: 'request-timeout',
    type: 'duration',
    default: 60_000,
    help: 'How long a request may take that is not a watch.',
  },
  maxRequestsInflight: {
    flag: 'max-requests-inflight',
    type: 'int',
    default: 400,
    min: 0,
    help: 'How many requests that are not watches may run at once; 0 for no limit.',
  },
};
