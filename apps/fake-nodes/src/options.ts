import {
  type LogConfig,
  logOptions,
  optionGroup,
  type OptionsTable,
  portOption,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';
import { type FakeNodesConfig, fakeNodesOptions } from './config.ts';

/** The configuration of fake nodes in a separate process. */
export interface FakeNodesProcessConfig extends FakeNodesConfig, LogConfig, WatchdogConfig {
  kubeconfig: string;
  healthBindAddress: string;
  healthPort: number;
  leaderElect: boolean;
}

/** The options of fake nodes in a separate process. */
export const fakeNodesProcessOptions: OptionsTable<FakeNodesProcessConfig> = {
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'path',
    required: true,
    help: 'The kubeconfig of the API server.',
  },
  ...fakeNodesOptions,
  ...optionGroup('Leader election', {
    leaderElect: {
      flag: 'leader-elect',
      type: 'bool',
      default: true,
      help: 'Look after nodes only while this process holds the Lease kube-system/annex-fake-nodes, of 15 s.',
    },
  }),
  ...optionGroup('Health', {
    healthBindAddress: {
      flag: 'health-bind-address',
      type: 'string',
      default: '127.0.0.1',
      help: 'The address of the health port.',
    },
    healthPort: portOption(
      'health-port',
      10247,
      'The port of /healthz, /readyz and /metrics; 0 selects a free one.',
    ),
  }),
  ...watchdogOptions,
  ...logOptions,
};
