import {
  connectionLimitOptions,
  type ConnectionLimits,
  optionGroup,
  type OptionsTable,
} from '@annex/runtime';
import { defaultMaxStreams } from '@annex/http';

/** The limits of a server. */
export interface LimitConfig extends ConnectionLimits {
  requestTimeout: number;
  maxRequestsInflight: number;
  maxMutatingRequestsInflight: number;
  enablePriorityAndFairness: boolean;
  rememberedTraces: number;
  http2MaxStreamsPerConnection: number;
  shutdownDelayDuration: number;
}

/** The limits of requests, with kube-apiserver's names and defaults where it has them. */
export const limitOptions: OptionsTable<LimitConfig> = optionGroup('Limits', {
  requestTimeout: {
    flag: 'request-timeout',
    type: 'duration',
    default: 60_000,
    help: 'The maximum duration of a request that is not a watch.',
  },
  maxRequestsInflight: {
    flag: 'max-requests-inflight',
    type: 'int',
    default: 400,
    min: 0,
    help: 'The maximum number of concurrent requests that read; 0 for no limit. With priority and fairness, part of the seats.',
  },
  maxMutatingRequestsInflight: {
    flag: 'max-mutating-requests-inflight',
    type: 'int',
    default: 200,
    min: 0,
    help: 'The maximum number of concurrent requests that change objects; 0 for no limit. With priority and fairness, part of the seats.',
  },
  enablePriorityAndFairness: {
    flag: 'enable-priority-and-fairness',
    type: 'bool',
    default: true,
    help: 'Give requests seats by FlowSchemas and PriorityLevelConfigurations. The seats are the sum of both limits of requests.',
  },
  ...connectionLimitOptions,
  http2MaxStreamsPerConnection: {
    flag: 'http2-max-streams-per-connection',
    type: 'int',
    default: defaultMaxStreams,
    min: 1,
    max: 100_000,
    help: 'The maximum number of concurrent streams of an HTTP/2 connection.',
  },
  shutdownDelayDuration: {
    flag: 'shutdown-delay-duration',
    type: 'duration',
    default: 0,
    help: 'Before it stops, the server fails /readyz and serves requests for this time, so that load balancers send no more of them. Running requests then have the time of --request-timeout.',
  },
  rememberedTraces: {
    flag: 'remembered-traces',
    type: 'int',
    default: 250,
    min: 0,
    max: 100_000,
    help: 'The number of recent requests that `annex trace` can show.',
  },
});
