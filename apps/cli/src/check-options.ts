import type { ConflictCheck, OptionsTable } from '@annex/runtime';
import { type ClientCommandConfig, clientCommandOptions } from './client-command.ts';

/** The configuration of `annex check`. */
export interface CheckConfig extends ClientCommandConfig {
  output: string;
  extensionUser: string | undefined;
  proxyClientCertFile: string | undefined;
  proxyClientKeyFile: string | undefined;
  timeout: number;
}

/** The options of `annex check`. */
export const checkOptions: OptionsTable<CheckConfig> = {
  output: {
    flag: 'output',
    type: 'string',
    default: 'text',
    choices: ['text', 'json'],
    help: 'The output format: a readable list, or one JSON document.',
  },
  extensionUser: {
    flag: 'extension-user',
    type: 'string',
    help: 'The user of the extension API server, system:serviceaccount:NAMESPACE:NAME; by default that of its Pods.',
  },
  proxyClientCertFile: {
    flag: 'proxy-client-cert-file',
    type: 'path',
    help: 'The client certificate of the API server for extension API servers. If it is set, the check uses it.',
  },
  proxyClientKeyFile: { flag: 'proxy-client-key-file', type: 'path', help: 'The key of that certificate.' },
  timeout: {
    flag: 'timeout',
    type: 'duration',
    default: 5_000,
    help: 'The timeout of a connection and of a response.',
  },
  ...clientCommandOptions,
};

/** Rules between options. */
export const checkConflicts: ConflictCheck<CheckConfig> = (config) =>
  (config.proxyClientCertFile === undefined) === (config.proxyClientKeyFile === undefined)
    ? []
    : ['--proxy-client-cert-file and --proxy-client-key-file must be set together'];
