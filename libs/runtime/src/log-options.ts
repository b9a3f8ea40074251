import { type LogFormat, logFormats, logLevels } from './log.ts';
import type { OptionsTable } from './options.ts';

/** What is logged, and how. */
export interface LogConfig {
  logLevel: string;
  logFormat: LogFormat;
}

/** The options of every process that logs. */
export const logOptions: OptionsTable<LogConfig> = {
  logLevel: {
    flag: 'log-level',
    type: 'string',
    default: 'warn',
    choices: [...logLevels, 'off'],
    help: 'The least important lines that are logged.',
  },
  logFormat: {
    flag: 'log-format',
    type: 'string',
    default: 'text',
    choices: logFormats,
    help: 'How log lines look.',
  },
};
