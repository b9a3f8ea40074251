import { errorsText } from './error-text.ts';
import { invalidCommandLine } from './exit-codes.ts';
import { nodeVersionError } from './node-version.ts';
import type { LogConfig } from './log-options.ts';
import {
  type ConflictCheck,
  type ForeignFlags,
  type OptionsTable,
  parseOptions,
  type Validated,
} from './options.ts';
import { helpText } from './option-help.ts';
import { watchEventLoop } from './watchdog/watchdog.ts';
import type { WatchdogConfig } from './watchdog/watchdog-options.ts';

/** What a process does between its start and its end. */
export interface RunningProcess {
  /** The text after `NAME is ready in 0.31 s`, with the address of the process. */
  about: string;
  /** Ends the process when it resolves; an error is the reason of the failure. */
  ended?: Promise<Error | undefined>;
  /** Drains and stops; returns what did not stop well. */
  stop(): Promise<readonly Error[]>;
}

/** A process: its options, and its start function. */
export interface ProcessDescription<C extends LogConfig & Partial<WatchdogConfig>> {
  name: string;
  /** The first line of the help. Default: `NAME [options]`. */
  usage?: string;
  options: OptionsTable<C>;
  conflicts?: ConflictCheck<C>;
  /** Flags of the program that this one replaces. */
  foreign?: { program: string; flags: ForeignFlags };
  /** Throws OperatorError for errors that the operator can fix. */
  start(config: Validated<C>): Promise<RunningProcess>;
}

const atReady: (() => void)[] = [];

/** Does work when this process has started, before it says that it is ready: work that would hold up its first requests. */
export const beforeReady = (work: () => void): void => void atReady.push(work);

/**
 * The main function of a process: reads the options, starts, prints a line when it is ready, and runs until SIGTERM or SIGINT.
 * Resolves to the exit code: 0, 1 after a failure, 2 for invalid options.
 */
export async function runProcess<C extends LogConfig & Partial<WatchdogConfig>>(
  description: ProcessDescription<C>,
  argv: readonly string[] = process.argv.slice(2),
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const { name, options, conflicts, foreign } = description;
  const fail = (errors: readonly unknown[], code = 1): number => {
    process.stderr.write(errorsText(errors));
    return errors.length === 0 ? 0 : code;
  };
  const unsupported = nodeVersionError();
  if (unsupported !== undefined) return fail([unsupported]);
  const parsed = parseOptions(options, argv, env, conflicts, foreign?.flags);
  if (parsed.kind === 'help') {
    process.stdout.write(helpText(description.usage ?? `${name} [options]`, options));
    return 0;
  }
  if (parsed.kind === 'errors') return fail(parsed.errors, invalidCommandLine);
  const { config, withoutEffect } = parsed;
  if (foreign !== undefined && withoutEffect.length > 0) {
    const flags = withoutEffect.map((flag) => `--${flag}${reasonOf(flag, foreign.flags)}`).join(', ');
    process.stderr.write(`${name}: flags of ${foreign.program} without effect: ${flags}\n`);
  }
  const signal = new Promise<'signal'>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve('signal'));
  });
  try {
    // A signal during the start ends the process immediately, because nothing needs cleanup yet.
    const running = await Promise.race([description.start(config), signal]);
    if (running === 'signal') return 0;
    for (const work of atReady.splice(0)) work();
    // performance.now() counts from the start of the process.
    const seconds = (performance.now() / 1000).toFixed(2);
    process.stdout.write(`${name} is ready in ${seconds} s: ${running.about}\n`);
    if (isWatched(config)) watchEventLoop(config);
    const end = await Promise.race([signal, ...(running.ended ? [running.ended] : [])]);
    const failure = end instanceof Error ? [end] : [];
    return fail([...failure, ...(await running.stop())]);
  } catch (error) {
    return fail([error]);
  }
}

function reasonOf(flag: string, flags: ForeignFlags): string {
  const why = flags.get(flag)?.why.replace(/\.$/, '');
  return why === undefined || why === '' ? '' : ` (${why})`;
}

const isWatched = <C extends Partial<WatchdogConfig>>(config: C): config is C & WatchdogConfig =>
  config.maxLoopStall !== undefined;
