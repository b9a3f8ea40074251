import { lstatSync, mkdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { StoreError } from '../store.ts';

/** Claims a directory for this process, see {@link lockDirectory}. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Claims a directory with a symbolic link whose target names this process. Creating a link is atomic and
 * needs no free disk space. Throws StoreError `locked` while another living process holds it. The link of a
 * dead process is taken over, even if its process id is in use again.
 */
export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const link = join(directory, 'held-by');
  // File systems store targets of less than 60 bytes without a separate block.
  const own = [process.pid, startTime(process.pid) ?? '-', randomUUID().slice(0, 8)].join(' ');
  while (!claim(link, own)) takeFromTheDead(directory, link);
  return {
    release() {
      if (holderOf(link) === own) rmSync(link, { force: true });
    },
  };
}

/** Returns the id of the living process that holds a directory, which may be this one. */
export function holderOfDirectory(directory: string): number | undefined {
  const [pid, started] = holderOf(join(directory, 'held-by'))?.split(' ') ?? [];
  return pid !== undefined && isAlive(Number(pid), started) ? Number(pid) : undefined;
}

function takeFromTheDead(directory: string, link: string): void {
  const holder = holderOf(link);
  if (holder === undefined) {
    if (lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === false)
      throw new StoreError('unavailable', `${link} is not the lock of a store: remove it`);
    return;
  }
  const [pid, started] = holder.split(' ');
  if (isAlive(Number(pid), started)) {
    throw new StoreError('locked', `${directory} is held by process ${pid}`);
  }
  const aside = `${link}.${randomUUID()}`;
  try {
    renameSync(link, aside);
  } catch {
    return;
  }
  // Another process may have claimed it between reading and renaming: then this link is its claim and is
  // restored.
  const taken = holderOf(aside);
  if (taken !== undefined && taken !== holder) claim(link, taken);
  rmSync(aside, { force: true });
}

/** Creates the link if there is none: the atomic step that decides between two processes. */
function claim(link: string, holder: string): boolean {
  try {
    symlinkSync(holder, link);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function holderOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}

function isAlive(pid: number, started: string | undefined): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return started === '-' || startTime(pid) === started;
}

/**
 * Returns the start time of a process in ticks since boot, with the boot id; undefined if the system does not
 * provide it.
 */
function startTime(pid: number): string | undefined {
  let stat: string;
  let boot: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
  } catch {
    return undefined;
  }
  // The process name may contain spaces and parentheses, so fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  // A zombie is dead; its parent has not reaped it yet.
  return state === 'Z' || state === 'X' ? 'dead' : `${fields[19]}@${boot.slice(0, 13)}`;
}
