import { readFileSync } from 'node:fs';

/** Returns the resident memory of processes in MiB, as Linux reports it. */
export function residentMiB(pids: readonly number[]): number {
  return sum(pids, (pid) => {
    const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kibibytes ?? Number.NaN) / 1024;
  });
}

/** Memory of a process in MiB. */
export interface Memory {
  resident: number;
  /** Pages that it does not share: without those of its program file, for example. */
  private: number;
}

export function memoryOf(pid: number): Memory {
  const facts = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const mebibytes = (name: string): number => {
    const line = facts.split('\n').find((each) => each.startsWith(`${name}:`));
    return Number(line?.trim().split(/\s+/)[1] ?? Number.NaN) / 1024;
  };
  return { resident: mebibytes('Rss'), private: mebibytes('Private_Clean') + mebibytes('Private_Dirty') };
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
