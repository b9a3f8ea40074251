import type { ConflictCheck, OptionsTable } from '@annex/runtime';
import { type ClientCommandConfig, clientCommandOptions } from './client-command.ts';

/** The configuration of `annex trace`. */
export interface TraceConfig extends ClientCommandConfig {
  follow: boolean;
  output: string;
  user: string | undefined;
  refused: boolean;
  last: boolean;
}

/** Rules between options. */
export const traceConflicts: ConflictCheck<TraceConfig> = ({ follow, last }) =>
  follow && last ? ['--follow and --last cannot be set together'] : [];

/** The options of `annex trace`. */
export const traceOptions: OptionsTable<TraceConfig> = {
  follow: {
    flag: 'follow',
    type: 'bool',
    default: false,
    help: 'Show requests when they are served, until interrupted.',
  },
  output: {
    flag: 'output',
    type: 'string',
    default: 'text',
    choices: ['text', 'json'],
    help: 'The output format: a line for each request, or a tree for one request; or JSON.',
  },
  user: { flag: 'user', type: 'string', help: 'Only requests that this user sent, before impersonation.' },
  refused: {
    flag: 'refused',
    type: 'bool',
    default: false,
    help: 'Only requests with an error as response, except for 404 Not Found.',
  },
  last: {
    flag: 'last',
    type: 'bool',
    default: false,
    help: 'Show the decisions about the last of the requests.',
  },
  ...clientCommandOptions,
};
