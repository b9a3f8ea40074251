import { spawnSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { tempFolder } from '@annex/testkit';

/** A file system of a few megabytes, in memory. The disposer removes it. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Returns the number of free bytes. */
  free(): number;
  /** Changes the size without removing files. */
  resize(megabytes: number): void;
}

/** Creates a small disk. Throws if mounting is not permitted. */
export function smallDisk(megabytes: number): SmallDisk {
  const folder = tempFolder('annex-disk-');
  const options = (size: number) => `size=${size}m`;
  try {
    run('mount', '-t', 'tmpfs', '-o', options(megabytes), 'tmpfs', folder.path);
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
  return {
    path: folder.path,
    free() {
      const { bavail, bsize } = statfsSync(folder.path);
      return bavail * bsize;
    },
    resize: (size) => run('mount', '-o', `remount,${options(size)}`, folder.path),
    [Symbol.dispose]() {
      run('umount', folder.path);
      folder[Symbol.dispose]();
    },
  };
}

/** True if small disks can be created; otherwise prints the reason on standard error. */
export function canMount(): boolean {
  try {
    smallDisk(1)[Symbol.dispose]();
    return true;
  } catch (error) {
    process.stderr.write(`SKIPPED full disks: ${(error as Error).message}\n`);
    return false;
  }
}

function run(command: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr || String(error)}`);
}
