import { OperatorError } from './error-codes.ts';
import { nodeVersionError } from './node-version.ts';
import type { LogConfig } from './log-options.ts';
import { type ConflictCheck, helpText, type OptionsTable, parseOptions, type Validated } from './options.ts';
import { watchEventLoop } from './watchdog/watchdog.ts';
import type { WatchdogConfig } from './watchdog/watchdog-options.ts';

/** What a process does between its start and its end. */
export interface RunningProcess {
  /** What is printed after `NAME is ready in 0.31 s`: where it is reached. */
  about: string;
  /** Ends the process when it resolves; to a reason, where it is a failure. */
  ended?: Promise<Error | undefined>;
  /** Drains and stops; returns what did not stop well. */
  stop(): Promise<readonly Error[]>;
}

/** A process: its options, and what it starts with them. */
export interface ProcessDescription<C extends LogConfig & WatchdogConfig> {
  name: string;
  options: OptionsTable<C>;
  conflicts?: ConflictCheck<C>;
  /** Throws OperatorError for what the operator can change. */
  start(config: Validated<C>): Promise<RunningProcess>;
}

/**
 * The main function of a process: reads the options, starts, says when it is ready, and runs until SIGTERM or SIGINT.
 * Resolves to the exit code: 0, 1 after a failure, 2 where the options are wrong.
 */
export async function runProcess<C extends LogConfig & WatchdogConfig>(
  description: ProcessDescription<C>,
  argv: readonly string[] = process.argv.slice(2),
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const { name, options, conflicts } = description;
  const unsupported = nodeVersionError();
  if (unsupported !== undefined) return complain([unsupported], 1);
  const parsed = parseOptions(options, argv, env, conflicts);
  if (parsed.kind === 'help') {
    process.stdout.write(helpText(`${name} [options]`, options));
    return 0;
  }
  if (parsed.kind === 'errors') return complain(parsed.errors, 2);
  const asked = new Promise<'asked'>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve('asked'));
  });
  try {
    // A process that is told to stop while it starts holds nothing that needs care.
    const running = await Promise.race([description.start(parsed.config), asked]);
    if (running === 'asked') return 0;
    // performance.now() counts from the start of the process.
    const seconds = (performance.now() / 1000).toFixed(2);
    process.stdout.write(`${name} is ready in ${seconds} s: ${running.about}\n`);
    watchEventLoop(parsed.config);
    const end = await Promise.race([asked, ...(running.ended ? [running.ended] : [])]);
    const failure = end instanceof Error ? [end] : [];
    return complain([...failure, ...(await running.stop())], 1);
  } catch (error) {
    return complain([error], 1);
  }
}

/** Says what went wrong. Returns the code; 0 where nothing did. */
function complain(errors: readonly unknown[], code: number): number {
  for (const error of errors) {
    const isExpected = error instanceof OperatorError || !(error instanceof Error);
    process.stderr.write(`${isExpected ? String(error) : (error.stack ?? error.message)}\n`);
  }
  return errors.length === 0 ? 0 : code;
}
