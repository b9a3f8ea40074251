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
    help: 'What is printed: a list to read, or one JSON document.',
  },
  extensionUser: {
    flag: 'extension-user',
    type: 'string',
    help: 'As whom the extension API server asks the API server, system:serviceaccount:NAMESPACE:NAME; that of its Pods by default.',
  },
  proxyClientCertFile: {
    flag: 'proxy-client-cert-file',
    type: 'path',
    help: 'The certificate that the API server shows to extension API servers, where it can be had: it is tried then.',
  },
  proxyClientKeyFile: { flag: 'proxy-client-key-file', type: 'path', help: 'The key of that certificate.' },
  timeout: {
    flag: 'timeout',
    type: 'duration',
    default: 5_000,
    help: 'How long a connection or an answer is waited for.',
  },
  ...clientCommandOptions,
};

/** Rules between options. */
export const checkConflicts: ConflictCheck<CheckConfig> = (config) =>
  (config.proxyClientCertFile === undefined) === (config.proxyClientKeyFile === undefined)
    ? []
    : ['--proxy-client-cert-file and --proxy-client-key-file belong together'];
