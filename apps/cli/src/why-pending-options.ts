import type { OptionsTable } from '@annex/runtime';
import { type ClientCommandConfig, clientCommandOptions } from './client-command.ts';

/** The configuration of `annex why-pending`. */
export interface WhyPendingConfig extends ClientCommandConfig {
  namespace: string;
  config: string | undefined;
  plugin: readonly string[];
  scheduler: string | undefined;
  insecureSkipTlsVerify: boolean;
  output: string;
}

/** The options of `annex why-pending`. */
export const whyPendingOptions: OptionsTable<WhyPendingConfig> = {
  namespace: { flag: 'namespace', type: 'string', default: 'default', help: 'The namespace of the Pod.' },
  config: {
    flag: 'config',
    type: 'path',
    help: 'The KubeSchedulerConfiguration of the scheduler; the default plugins without it.',
  },
  plugin: {
    flag: 'plugin',
    type: 'list',
    default: [],
    help: 'Modules with the plugins that the configuration enables, as for `annex scheduler`.',
  },
  scheduler: {
    flag: 'scheduler',
    type: 'string',
    help: 'The URL of the port of a scheduler in a separate process, which remembers its past attempts. Those of `annex up` need none.',
  },
  insecureSkipTlsVerify: {
    flag: 'insecure-skip-tls-verify',
    type: 'bool',
    default: false,
    help: 'Do not verify the certificate of that scheduler, which by default signs itself.',
  },
  output: {
    flag: 'output',
    type: 'string',
    default: 'text',
    choices: ['text', 'json'],
    help: 'The output format.',
  },
  ...clientCommandOptions,
};
