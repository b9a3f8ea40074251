import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { StoreError } from '../store.ts';

/** Claims a directory for this process, see {@link lockDirectory}. */
export interface DirectoryLock {
  release(): void;
}

/**
 * Claims a directory by a file that names this process. Throws StoreError `locked` while another living process holds
 * it; what a dead one left behind is taken over, also when its process id is in use again.
 */
export function lockDirectory(directory: string): DirectoryLock {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'holder');
  const own = `${process.pid} ${startTime(process.pid) ?? '-'} ${randomUUID()}\n`;
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, own, { mode: 0o600 });
  try {
    while (!link(draft, file)) takeFromTheDead(directory, file);
  } finally {
    unlinkSync(draft);
  }
  return {
    release() {
      if (read(file) === own) rmSync(file, { force: true });
    },
  };
}

function takeFromTheDead(directory: string, file: string): void {
  const holder = read(file);
  if (holder === undefined) return;
  const [pid, started] = holder.trim().split(' ');
  if (isAlive(Number(pid), started)) {
    throw new StoreError('locked', `${directory} is held by process ${pid}`);
  }
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  // Another process may have been faster between reading and renaming: then this is its claim, and it goes back.
  if (read(aside) !== holder) link(aside, file);
  rmSync(aside, { force: true });
}

/** Creates `file` with the content of `draft`, if there is none yet: the one step that decides between two processes. */
function link(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
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

/** When a process started, in ticks since boot, and the boot; undefined where the system does not say. */
function startTime(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const boot = read('/proc/sys/kernel/random/boot_id');
  if (!stat || !boot) return undefined;
  // The name of the process may hold spaces and parentheses: count from behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  // A zombie is dead; only its parent has not noticed.
  return state === 'Z' || state === 'X' ? 'dead' : `${fields[19]}@${boot.trim()}`;
}
