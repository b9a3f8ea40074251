import { setTimeout } from 'node:timers/promises';
import type { Runner } from '../runners/runner.ts';

/** Something that goes wrong on a running target. */
export interface Fault {
  name: string;
  /** Does harm. Resolves when it is over and every process runs again. */
  happen(random: () => number): Promise<void>;
}

/** The longest time for which a process is stopped, in milliseconds. */
const longestPauseMs = 2_000;

/** Returns the faults of each process of a runner: killed, ended, and stopped for some time. */
export const processFaults = (runner: Runner): Fault[] =>
  [...runner.pids().keys()].flatMap((name) => [
    { name: `kill -9 ${name}`, happen: () => runner.restart('SIGKILL', name) },
    { name: `restart ${name}`, happen: () => runner.restart('SIGTERM', name) },
    {
      name: `pause ${name}`,
      async happen(random) {
        const pid = runner.pids().get(name)!;
        process.kill(pid, 'SIGSTOP');
        await setTimeout(random() * longestPauseMs);
        process.kill(pid, 'SIGCONT');
      },
    },
  ]);
