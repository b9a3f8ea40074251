import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientConfig, loadKubeconfig } from '@annex/client';
import { tempFolder } from '@annex/testkit';
import { startProcesses } from '../runners/compose-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { canMount, smallDisk } from '../suites/small-disk.ts';
import { clockFault, diskFault, type Fault, processFaults } from './faults.ts';
import { startReplicas } from './replicas.ts';

const steppedClock = new URL('stepped-clock.ts', import.meta.url).href;

/** Running servers over one store, and what can go wrong with them. */
export interface Target extends AsyncDisposable {
  servers: readonly ClientConfig[];
  faults: readonly Fault[];
}

/** The kinds of targets by name. */
export const targets: ReadonlyMap<string, () => Promise<Target>> = new Map([
  ['single', startOnSmallDisk],
  ['processes', async () => await targetOf(await startProcesses())],
  ['replicas', startReplicas],
]);

const diskMegabytes = 256;

/** One process. It has a wall clock of its own, and a disk of its own where that can be mounted. */
async function startOnSmallDisk(): Promise<Target> {
  const disk = canMount() ? smallDisk(diskMegabytes) : undefined;
  const clock = tempFolder('annex-clock-');
  const file = join(clock.path, 'milliseconds');
  writeFileSync(file, '0');
  const runner = await startSingle({
    ...(disk === undefined ? {} : { parent: disk.path }),
    env: { NODE_OPTIONS: `--import=${steppedClock}`, ANNEX_CLOCK_FILE: file },
  });
  const target = await targetOf(runner);
  return {
    ...target,
    faults: [
      ...target.faults,
      clockFault(file),
      ...(disk === undefined ? [] : [diskFault(disk, diskMegabytes)]),
    ],
    async [Symbol.asyncDispose]() {
      await runner.stop();
      disk?.[Symbol.dispose]();
      clock[Symbol.dispose]();
    },
  };
}

async function targetOf(runner: Runner): Promise<Target> {
  return {
    servers: [await loadKubeconfig(runner.kubeconfig)],
    faults: processFaults(runner),
    [Symbol.asyncDispose]: () => runner.stop(),
  };
}
