import {
  type ConflictCheck,
  type LogConfig,
  logOptions,
  type OptionsTable,
  type WatchdogConfig,
  watchdogOptions,
} from '@annex/runtime';
import { type ServingConfig, servingOptions } from '@annex/process';
import { type ElectionConfig, electionConflicts, electionOptions } from './election.ts';
import { type SelectionConfig, selectionConflicts, selectionOptions } from './selection.ts';

/** The configuration of the controllers in a separate process. */
export interface ControllersProcessConfig
  extends SelectionConfig, ElectionConfig, ServingConfig, WatchdogConfig, LogConfig {
  kubeconfig: string;
  rootCaFile: string | undefined;
  serviceAccountPrivateKeyFile: string | undefined;
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
  ...electionOptions,
  ...serving,
  ...watchdogOptions,
  ...logOptions,
};

/** Checks rules between options. */
export const controllersConflicts: ConflictCheck<ControllersProcessConfig> = (config) => [
  ...selectionConflicts(config),
  ...electionConflicts(config),
];
