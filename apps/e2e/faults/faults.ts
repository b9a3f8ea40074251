import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Runner } from '../runners/runner.ts';
import type { SmallDisk } from '../suites/small-disk.ts';

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

const hourMs = 3_600_000;

/**
 * The wall clock of the processes, which read its file, jumps forward or back, and stays there until the next jump. It is never before the
 * certificates of the clients, which would be refused.
 */
export const clockFault = (file: string): Fault => ({
  name: 'step of the clock',
  async happen(random) {
    writeFileSync(file, String(Math.round(random() * hourMs)));
  },
});

const mebibyte = 1024 * 1024;

/** The disk has no space for some time. */
export const diskFault = (disk: SmallDisk, megabytes: number): Fault => ({
  name: 'full disk',
  async happen(random) {
    disk.resize(Math.max(1, megabytes - Math.floor(disk.free() / mebibyte)));
    await setTimeout(random() * longestPauseMs);
    disk.resize(megabytes);
  },
});
