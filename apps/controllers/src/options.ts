import {
  type ConflictCheck,
  type LogConfig,
  logOptions,
  type OptionsTable,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';
import { type ServingConfig, servingOptions } from '@annex/process';
import { type SelectionConfig, selectionConflicts, selectionOptions } from './selection.ts';

/** The configuration of the controllers in a process of their own. */
export interface ControllersProcessConfig extends SelectionConfig, ServingConfig, WatchdogConfig, LogConfig {
  kubeconfig: string;
  rootCaFile: string | undefined;
  serviceAccountPrivateKeyFile: string | undefined;
  leaderElect: boolean;
  leaderElectLeaseDuration: number;
  leaderElectRenewDeadline: number;
  leaderElectRetryPeriod: number;
  clientCaFile: string | undefined;
}

type Rows<K extends keyof ControllersProcessConfig> = OptionsTable<Pick<ControllersProcessConfig, K>>;

const client: Rows<'kubeconfig' | 'rootCaFile' | 'serviceAccountPrivateKeyFile'> = {
  kubeconfig: {
    flag: 'kubeconfig',
    type: 'path',
    required: true,
    help: 'How the API server is reached.',
  },
  rootCaFile: {
    flag: 'root-ca-file',
    type: 'path',
    help: 'The authority that is published to all namespaces; that of the kubeconfig by default.',
  },
  serviceAccountPrivateKeyFile: {
    flag: 'service-account-private-key-file',
    type: 'path',
    help: 'The key that signs the tokens in Secrets; without it they stay empty.',
  },
};

const leaderElection: Rows<
  'leaderElect' | 'leaderElectLeaseDuration' | 'leaderElectRenewDeadline' | 'leaderElectRetryPeriod'
> = {
  leaderElect: {
    flag: 'leader-elect',
    type: 'bool',
    default: true,
    help: 'Run the controllers in one of several processes only.',
  },
  leaderElectLeaseDuration: {
    flag: 'leader-elect-lease-duration',
    type: 'duration',
    default: 15_000,
    help: 'For how long others wait for a leader that does not renew.',
  },
  leaderElectRenewDeadline: {
    flag: 'leader-elect-renew-deadline',
    type: 'duration',
    default: 10_000,
    help: 'For how long a leader tries to renew before it gives up.',
  },
  leaderElectRetryPeriod: {
    flag: 'leader-elect-retry-period',
    type: 'duration',
    default: 2_000,
    help: 'The pause between tries.',
  },
};

const serving: Rows<keyof ServingConfig | 'clientCaFile'> = {
  ...servingOptions,
  bindAddress: {
    ...servingOptions.bindAddress,
    type: 'string',
    help: 'The address where health and metrics are served.',
  },
  port: {
    ...servingOptions.port,
    type: 'int',
    default: 10257,
    help: 'The port for them; 0 takes a free one.',
  },
  clientCaFile: {
    flag: 'client-ca-file',
    type: 'path',
    help: 'Authorities of client certificates; system:masters may read the metrics.',
  },
};

/** The options of the controllers; names that kube-controller-manager has mean what they mean there. */
export const controllersOptions: OptionsTable<ControllersProcessConfig> = {
  ...client,
  ...selectionOptions,
  ...leaderElection,
  ...serving,
  ...watchdogOptions,
  ...logOptions,
};

/** Rules between the options. */
export const controllersConflicts: ConflictCheck<ControllersProcessConfig> = (config) => [
  ...selectionConflicts(config),
  ...(config.leaderElectLeaseDuration > config.leaderElectRenewDeadline &&
  config.leaderElectRenewDeadline > config.leaderElectRetryPeriod
    ? []
    : ['a lease must last longer than the renew deadline, and that longer than the retry period']),
];
