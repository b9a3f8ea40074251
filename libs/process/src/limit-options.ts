import { connectionLimitOptions, type ConnectionLimits, type OptionsTable } from '@annex/runtime';
import { defaultMaxStreams } from '@annex/http';

/** How much a server takes on. */
export interface LimitConfig extends ConnectionLimits {
  requestTimeout: number;
  maxRequestsInflight: number;
  rememberedTraces: number;
  http2MaxStreamsPerConnection: number;
}

/** The limits of requests, with kube-apiserver's names and defaults where it has them. */
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
  ...connectionLimitOptions,
  http2MaxStreamsPerConnection: {
    flag: 'http2-max-streams-per-connection',
    type: 'int',
    default: defaultMaxStreams,
    min: 1,
    max: 100_000,
    help: 'How many streams an HTTP/2 connection may have at a time.',
  },
  rememberedTraces: {
    flag: 'remembered-traces',
    type: 'int',
    default: 250,
    min: 0,
    max: 100_000,
    help: 'How many requests `annex trace` can look back on.',
  },
};
