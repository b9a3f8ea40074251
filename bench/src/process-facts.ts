import { readFileSync } from 'node:fs';

/** Returns the resident memory of processes in MiB, as Linux reports it. */
export function residentMiB(pids: readonly number[]): number {
  return sum(pids, (pid) => {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kibibytes ?? Number.NaN) / 1024;
  });
}

/** Returns the CPU time of processes in milliseconds. Linux reports it in hundredths of a second. */
export function cpuMs(pids: readonly number[]): number {
  return sum(pids, (pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the command, in brackets, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  });
}

const sum = (pids: readonly number[], of: (pid: number) => number): number =>
  pids.reduce((total, pid) => total + of(pid), 0);
