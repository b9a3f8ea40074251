import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** The system calls that wait for a disk. */
const syncCalls = 'fsync,fdatasync,msync,sync_file_range';

/** Makes every synchronization with the disk take this much longer in a process. Returns a function that ends this. */
export async function slowDisk(pid: number, delayMs: number): Promise<() => Promise<void>> {
  const args = ['-f', '-q', '-o', '/dev/null', '-e', `trace=${syncCalls}`];
  args.push('-e', `inject=${syncCalls}:delay_enter=${Math.round(delayMs * 1000)}`, '-p', String(pid));
  const strace = spawn('strace', args, { stdio: 'ignore' });
  await once(strace, 'spawn');
  const ended = once(strace, 'exit');
  return async () => {
    strace.kill('SIGINT');
    await ended;
  };
}

/** True if `strace` can slow a process down; otherwise prints the reason on standard error. */
export function canSlowDisks(): boolean {
  const { status, stderr, error } = spawnSync('strace', ['-o', '/dev/null', 'true'], { encoding: 'utf8' });
  if (status === 0) return true;
  process.stderr.write(`SKIPPED slow disks: strace: ${error?.message ?? stderr}\n`);
  return false;
}
