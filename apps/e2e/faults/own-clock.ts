import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { clockFault, type Fault } from './faults.ts';

const steppedClock = new URL('stepped-clock.ts', import.meta.url).href;

/** Returns the environment of processes that have a wall clock of their own, and the fault that steps it. */
export function ownClock(of = ''): Disposable & { env: Record<string, string>; fault: Fault } {
  const folder = tempFolder('annex-clock-');
  const file = join(folder.path, 'milliseconds');
  writeFileSync(file, '0');
  return {
    env: { NODE_OPTIONS: `--import=${steppedClock}`, ANNEX_CLOCK_FILE: file },
    fault: clockFault(file, of),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
