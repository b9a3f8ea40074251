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

/** The configuration of the controllers in a separate process. */
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
    help: 'The kubeconfig of the API server.',
  },
  rootCaFile: {
    flag: 'root-ca-file',
    type: 'path',
    help: 'The CA that is published to all namespaces; by default that of the kubeconfig.',
  },
  serviceAccountPrivateKeyFile: {
    flag: 'service-account-private-key-file',
    type: 'path',
    help: 'The key that signs the tokens in Secrets. Without it, the Secrets stay empty.',
  },
};

const leaderElection: Rows<
  'leaderElect' | 'leaderElectLeaseDuration' | 'leaderElectRenewDeadline' | 'leaderElectRetryPeriod'
> = {
  leaderElect: {
    flag: 'leader-elect',
    type: 'bool',
    default: true,
    help: 'Run the controllers only while this process is the leader.',
  },
  leaderElectLeaseDuration: {
    flag: 'leader-elect-lease-duration',
    type: 'duration',
    default: 15_000,
    help: 'The time after which another process takes over a lease that is not renewed.',
  },
  leaderElectRenewDeadline: {
    flag: 'leader-elect-renew-deadline',
    type: 'duration',
    default: 10_000,
    help: 'The time after which a leader gives up renewing.',
  },
  leaderElectRetryPeriod: {
    flag: 'leader-elect-retry-period',
    type: 'duration',
    default: 2_000,
    help: 'The time between attempts.',
  },
};

const serving: Rows<keyof ServingConfig | 'clientCaFile'> = {
  ...servingOptions,
  bindAddress: {
    ...servingOptions.bindAddress,
    type: 'string',
    help: 'The address that serves health and metrics.',
  },
  port: {
    ...servingOptions.port,
    type: 'int',
    default: 10257,
    help: 'The port that serves health and metrics; 0 selects a free port.',
  },
  clientCaFile: {
    flag: 'client-ca-file',
    type: 'path',
    help: 'CAs of client certificates; system:masters are allowed to read the metrics.',
  },
};

/** The options of the controllers. Names of kube-controller-manager flags have the meaning of those flags. */
export const controllersOptions: OptionsTable<ControllersProcessConfig> = {
  ...client,
  ...selectionOptions,
  ...leaderElection,
  ...serving,
  ...watchdogOptions,
  ...logOptions,
};

/** Checks rules between options. */
export const controllersConflicts: ConflictCheck<ControllersProcessConfig> = (config) => [
  ...selectionConflicts(config),
  ...(config.leaderElectLeaseDuration > config.leaderElectRenewDeadline &&
  config.leaderElectRenewDeadline > config.leaderElectRetryPeriod
    ? []
    : ['a lease must last longer than the renew deadline, and that longer than the retry period']),
];
