import type { OptionsTable } from '@annex/runtime';
import { type ClientCommandConfig, clientCommandOptions } from './client-command.ts';

/** The configuration of `annex trace`. */
export interface TraceConfig extends ClientCommandConfig {
  follow: boolean;
  output: string;
  user: string | undefined;
}

/** The options of `annex trace`. */
export const traceOptions: OptionsTable<TraceConfig> = {
  follow: {
    flag: 'follow',
    type: 'bool',
    default: false,
    help: 'Show requests as they are answered, until interrupted.',
  },
  output: {
    flag: 'output',
    type: 'string',
    default: 'text',
    choices: ['text', 'json'],
    help: 'A line for each request and a tree for one, or JSON.',
  },
  user: { flag: 'user', type: 'string', help: 'Only requests that this user authenticated for.' },
  ...clientCommandOptions,
};
