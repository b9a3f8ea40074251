import { setFlagsFromString } from 'node:v8';

/** How long the young generation stays small after the first module, in milliseconds. */
const startMs = 4_000;

/** Commands that have much to do at their start: the scheduler decides about all Pods that wait. */
const busyAtStart: ReadonlySet<string | undefined> = new Set(['scheduler']);

/**
 * Keeps V8's young generation at its first size while the process starts. Loading modules would grow it to 32 MB, which stay mapped and
 * empty afterwards. It grows with the load later.
 */
export function startSmall(command: string | undefined): void {
  if (busyAtStart.has(command)) return;
  setFlagsFromString('--semi-space-growth-factor=1');
  setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), startMs).unref();
}
