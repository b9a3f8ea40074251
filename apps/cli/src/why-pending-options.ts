import type { OptionsTable } from '@annex/runtime';
import { type ClientCommandConfig, clientCommandOptions } from './client-command.ts';

/** The configuration of `annex why-pending`. */
export interface WhyPendingConfig extends ClientCommandConfig {
  namespace: string;
  config: string | undefined;
  plugin: readonly string[];
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
  output: {
    flag: 'output',
    type: 'string',
    default: 'text',
    choices: ['text', 'json'],
    help: 'The output format.',
  },
  ...clientCommandOptions,
};
