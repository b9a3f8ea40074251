import { type LogFormat, logFormats, logLevels } from './log.ts';
import { optionGroup, type OptionsTable } from './options.ts';

/** The level and the format of a log. */
export interface LogConfig {
  logLevel: string;
  logFormat: LogFormat;
}

/** The options of every process that logs. */
export const logOptions: OptionsTable<LogConfig> = optionGroup('Logs', {
  logLevel: {
    flag: 'log-level',
    type: 'string',
    default: 'warn',
    choices: [...logLevels, 'off'],
    help: 'The lowest level that is logged.',
  },
  logFormat: {
    flag: 'log-format',
    type: 'string',
    default: 'text',
    choices: logFormats,
    help: 'The format of log lines.',
  },
});
