import { startProcesses } from './compose-runner.ts';
import type { Runner, RunnerOptions } from './runner.ts';

/** At this level, suites can tell from the log what the server must not write. */
const logging = '--log-level=debug';

let shared: { options: string; runner: Runner } | undefined;

/**
 * Returns separate processes that the suites of one file share, one suite after the other: starting them takes as long as most suites. Suites
 * with other controllers start them anew. A suite that kills a process starts it again; objects of earlier suites may remain.
 */
export async function shareProcesses(options: RunnerOptions = {}): Promise<Runner> {
  // What is stored by separate processes is on disk in any case.
  const { controllers = '', args = [], ephemeral: _ephemeral, ...others } = options;
  if (Object.keys(others).length > 0 || args.some((arg) => arg !== logging))
    throw new Error(`a suite with these options has its own processes: ${JSON.stringify(options)}`);
  if (shared?.options !== controllers) {
    await stopSharedProcesses();
    shared = { options: controllers, runner: await startProcesses({ controllers, args: [logging] }) };
  }
  const keep = () => Promise.resolve();
  return { ...shared.runner, stop: keep, [Symbol.asyncDispose]: keep };
}

/** Stops the processes, if they run. */
export async function stopSharedProcesses(): Promise<void> {
  const running = shared;
  shared = undefined;
  await running?.runner.stop();
}
