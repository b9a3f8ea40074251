import { setFlagsFromString } from 'node:v8';

const checkMs = 1_000;
/** Processor time between two checks below which a process is idle. */
const idleMs = 50;
/**
 * So many checks in a row must find the process idle. The collection also drops compiled code: after a pause of half a minute, requests would
 * take twice the time until V8 has compiled again.
 */
const idleChecks = 120;

/**
 * With the first flag, V8 collects the whole heap once or twice, in slices, and returns free pages to the system; without, it keeps all
 * pages. V8 does so by itself when little is allocated, but in Node, nothing is allocated in the heap of C++, which counts as much.
 */
const flags = { idle: '--optimize-for-size', busy: '--no-optimize-for-size' };

/** Lets V8 return memory when the process is idle: after its start, and after load. */
export function collectWhenIdle(): void {
  const flagAfter = createIdleFlags();
  let before = process.cpuUsage();
  setInterval(() => {
    const now = process.cpuUsage();
    const flag = flagAfter((now.user + now.system - before.user - before.system) / 1_000);
    before = now;
    if (flag !== undefined) setFlagsFromString(flag);
  }, checkMs).unref();
  // Node writes the compile cache at the end of a process: V8 refuses compiled code from other flags.
  process.once('exit', () => setFlagsFromString(flags.busy));
}

/** Returns a function that returns the flag to set, if any, after a check that found so many milliseconds of processor time. The first check decides by itself. */
export function createIdleFlags(): (usedMs: number) => string | undefined {
  let idle = idleChecks - 1;
  return (usedMs) => {
    const before = idle;
    idle = usedMs < idleMs ? idle + 1 : 0;
    if (idle === idleChecks) return flags.idle;
    return idle === 0 && before >= idleChecks ? flags.busy : undefined;
  };
}
