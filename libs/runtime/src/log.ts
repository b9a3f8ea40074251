import { createRequire } from 'node:module';
import type Pino from 'pino';
import { redact, redactText } from './redact.ts';

/** The log levels, the lowest one first. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The format of a line. */
export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

/** The fields of a line. Secrets are redacted by name and by pattern. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Writes structured lines. Never throws, never blocks. */
export interface Logger {
  /** False if a line of that level would not be written: skip building its fields. */
  isEnabled(level: LogLevel): boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Creates a logger that adds these fields to each line. */
  child(fields: LogFields): Logger;
}

/** The destination of lines. */
export interface LogSink {
  write(line: string): void;
}

/** The options of a logger. */
export interface LoggerOptions {
  level: LogLevel | 'off';
  format: LogFormat;
  /** Default: standard error. */
  sink?: LogSink;
}

/** Characters of the message and of each field of a line; the rest is cut, and `…` marks it. */
export const maxLogFieldLength = 65_536;

/** Characters of a line in text format; the rest is cut. JSON lines have all of it. */
export const maxTextLineLength = 1_000;

type WriteLine = (level: LogLevel, message: string, fields: Record<string, unknown>) => void;

/** Creates a logger. */
export function createLogger(options: LoggerOptions): Logger {
  if (options.level === 'off') return nullLogger;
  const sink = options.sink ?? (standardError ??= openStandardError());
  const write = options.format === 'json' ? jsonLines(sink) : textLines(sink);
  return makeLogger(logLevels.indexOf(options.level), write, {});
}

/** Discards all lines. */
export const nullLogger: Logger = makeLogger(logLevels.length, () => undefined, {});

function makeLogger(lowest: number, write: WriteLine, bound: Record<string, unknown>): Logger {
  const at = (level: LogLevel) => {
    if (logLevels.indexOf(level) < lowest) return () => undefined;
    return (message: string, fields?: LogFields) =>
      write(
        level,
        cut(redactText(message)),
        fields === undefined ? bound : { ...bound, ...shownFields(fields) },
      );
  };
  return {
    isEnabled: (level) => logLevels.indexOf(level) >= lowest,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => makeLogger(lowest, write, { ...bound, ...shownFields(fields) }),
  };
}

/** The fields without secrets, each cut to {@link maxLogFieldLength}. */
const shownFields = (fields: LogFields): Record<string, unknown> =>
  Object.fromEntries(Object.entries(redact(fields)).map(([name, value]) => [name, bounded(value)]));

function bounded(value: unknown): unknown {
  if (typeof value === 'string') return cut(value);
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  return text.length > maxLogFieldLength ? cut(text) : value;
}

const cut = (text: string): string =>
  text.length > maxLogFieldLength ? `${text.slice(0, maxLogFieldLength)}…` : text;

// pino takes 25 ms to load, so only processes with JSON lines load it.
function jsonLines(sink: LogSink): WriteLine {
  const pino = createRequire(import.meta.url)('pino') as typeof Pino;
  const logger = pino(
    {
      level: 'debug',
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
    },
    sink,
  );
  return (level, message, fields) => logger[level](fields, message);
}

const letters: Record<LogLevel, string> = { debug: 'D', info: 'I', warn: 'W', error: 'E' };

function textLines(sink: LogSink): WriteLine {
  return (level, message, fields) => {
    let line = `${new Date().toISOString()} ${letters[level]} ${JSON.stringify(message).slice(1, -1)}`;
    for (const name in fields) {
      const value = fields[name];
      if (value !== undefined) line += ` ${name}=${textValue(value)}`;
      if (level === 'error' && isError(value)) line += ` at=${textValue(firstFrame(value))}`;
    }
    sink.write(`${shortened(line)}\n`);
  };
}

function shortened(line: string): string {
  if (line.length <= maxTextLineLength) return line;
  const end = `… (${line.length} characters; --log-format=json has them)`;
  return line.slice(0, maxTextLineLength - end.length) + end;
}

/** Formats an error without its stack: the message, and those of its causes. */
function errorText({ cause, message }: ErrorFields): string {
  return isError(cause) && !message.includes(cause.message) ? `${message}: ${errorText(cause)}` : message;
}

/** Returns the place that threw an error: `f (file:///x.ts:1:2)`. */
const firstFrame = ({ stack }: ErrorFields): string | undefined =>
  stack
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line.startsWith('at '))
    ?.slice('at '.length);

/** The fields of an error, as `redact` returns them. */
interface ErrorFields {
  message: string;
  stack: string;
  cause?: unknown;
}

const isError = (value: unknown): value is ErrorFields =>
  typeof value === 'object' &&
  value !== null &&
  'stack' in value &&
  typeof value.stack === 'string' &&
  'message' in value &&
  typeof value.message === 'string';

// Quotes ambiguous values, so that no client can forge a line.
function textValue(value: unknown): string {
  if (typeof value === 'string' && /^[^\s"=\p{C}]+$/u.test(value)) return value;
  return JSON.stringify(isError(value) ? errorText(value) : value) ?? String(value);
}

// Shared by all loggers of a process, because it flushes at the end of the process.
let standardError: LogSink | undefined;

// Writes the lines of one turn of the event loop together.
function openStandardError(): LogSink {
  let waiting = '';
  const flush = () => {
    const text = waiting;
    waiting = '';
    if (text !== '') process.stderr.write(text);
  };
  process.once('exit', flush);
  return {
    write(line) {
      if (waiting === '') setImmediate(flush);
      waiting += line;
    },
  };
}
