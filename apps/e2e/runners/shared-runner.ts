import { startProcesses } from './compose-runner.ts';
import type { Runner, RunnerOptions } from './runner.ts';
import { startSingle } from './single-runner.ts';

/** At this level, suites can tell from the log what the server must not write. */
const logging = '--log-level=debug';

let shared: { controllers: string; runner: Runner } | undefined;

/** Returns separate processes that the suites of one file share. */
export const shareProcesses = (options?: RunnerOptions): Promise<Runner> => share(startProcesses, options);

/** Returns a single process that the suites of one file share. */
export const shareSingle = (options?: RunnerOptions): Promise<Runner> => share(startSingle, options);

/**
 * Returns a server that the suites of one file share, one suite after the other: starting it, and its first requests, take as long as most
 * suites. Suites with other controllers start it anew. A suite that kills a process starts it again; objects of earlier suites may remain.
 */
async function share(
  start: (options: RunnerOptions) => Promise<Runner>,
  options: RunnerOptions = {},
): Promise<Runner> {
  // What is stored is on disk in any case.
  const { controllers = '', args = [], ephemeral: _ephemeral, ...others } = options;
  if (Object.keys(others).length > 0 || args.some((arg) => arg !== logging))
    throw new Error(`a suite with these options has its own server: ${JSON.stringify(options)}`);
  if (shared?.controllers !== controllers) {
    await stopShared();
    shared = { controllers, runner: await start({ controllers, args: [logging] }) };
  }
  const keep = () => Promise.resolve();
  return { ...shared.runner, stop: keep, [Symbol.asyncDispose]: keep };
}

/** Stops the shared server, if it runs. */
export async function stopShared(): Promise<void> {
  const running = shared;
  shared = undefined;
  await running?.runner.stop();
}
