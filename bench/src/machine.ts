import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';

/** The properties of the machine that a result depends on. */
export interface MachineFacts {
  cpu: string;
  cores: number;
  memoryGiB: number;
  kernel: string;
  node: string;
  commit: string;
  loadAverage: number[];
}

export function machineFacts(): MachineFacts {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: `${type()} ${release()}`,
    node: process.version,
    commit: commit(),
    loadAverage: loadavg().map((load) => Number(load.toFixed(2))),
  };
}

function commit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no').trim() !== '';
    return git('rev-parse', '--short=12', 'HEAD').trim() + (changed ? ' and changes' : '');
  } catch {
    return 'unknown';
  }
}
