import { createLogger, type Logger, type LogLevel } from './log.ts';
import type { LogConfig } from './log-options.ts';
import { type OptionsTable, startupValues, type Validated } from './options.ts';

/** Returns the log of a process, whose first line has the options of the start without their secrets. */
export function startupLog<C extends LogConfig>(
  name: string,
  options: OptionsTable<C>,
  config: Validated<C>,
): Logger {
  const log = createLogger({ level: config.logLevel as LogLevel | 'off', format: config.logFormat });
  log.info(`starting ${name}`, startupValues(options, config));
  return log;
}

/** Returns the log of another thread of a process. Its lines name the thread. */
export const threadLog = ({ logFormat: format, logLevel }: LogConfig, thread: number): Logger =>
  createLogger({ level: logLevel as LogLevel | 'off', format }).child({ thread });
