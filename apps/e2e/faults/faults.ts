import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Runner } from '../runners/runner.ts';
import type { SmallDisk } from '../suites/small-disk.ts';
import { slowDisk } from './slow-disk.ts';

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
    { name: `kill -9 ${name}`, happen: () => restartSupervised(runner, 'SIGKILL', name) },
    { name: `restart ${name}`, happen: () => restartSupervised(runner, 'SIGTERM', name) },
    pauseFault(name, () => runner.pids().get(name)!),
  ]);

/** The most starts of a process whose store does not respond yet. */
const mostStarts = 10;

/** Ends all processes of a runner, or one, and starts them as a supervisor does: again, if they end. */
export async function restartSupervised(
  runner: Runner,
  signal: NodeJS.Signals,
  name?: string,
): Promise<void> {
  for (let start = 1; ; start++) {
    try {
      return await runner.restart(signal, name);
    } catch (error) {
      if (start === mostStarts || !String(error).includes('STORE_UNREACHABLE')) throw error;
    }
  }
}

/** A process is stopped for some time, and goes on as if nothing had happened. */
export const pauseFault = (name: string, pid: () => number): Fault => ({
  name: `pause ${name}`,
  async happen(random) {
    const stopped = pid();
    process.kill(stopped, 'SIGSTOP');
    await setTimeout(random() * longestPauseMs);
    process.kill(stopped, 'SIGCONT');
  },
});

/** The longest time that a slow disk needs for what it is told to keep, in milliseconds. */
const longestSyncMs = 300;

/** The disk of a process is slow for some time. */
export const slowDiskFault = (name: string, pid: () => number): Fault => ({
  name: `slow disk of ${name}`,
  async happen(random) {
    const heal = await slowDisk(pid(), random() * longestSyncMs);
    await setTimeout(random() * longestPauseMs);
    await heal();
  },
});

const hourMs = 3_600_000;

/**
 * The wall clock of the processes, which read its file, jumps forward or back, and stays there until the next jump. It is never before the
 * certificates of the clients, which would be refused.
 */
export const clockFault = (file: string, of = ''): Fault => ({
  name: `step of the clock${of}`,
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
