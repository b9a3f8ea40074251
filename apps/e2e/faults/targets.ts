import { type ClientConfig, loadKubeconfig } from '@annex/client';
import { startProcesses } from '../runners/compose-runner.ts';
import type { Runner, RunnerOptions } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { canMount, smallDisk } from '../suites/small-disk.ts';
import { diskFault, type Fault, processFaults, slowDiskFault } from './faults.ts';
import { startReplicas } from './replicas.ts';
import { ownClock } from './own-clock.ts';
import { canSlowDisks } from './slow-disk.ts';

/** Running servers over one store, and what can go wrong with them. */
export interface Target extends AsyncDisposable {
  servers: readonly ClientConfig[];
  faults: readonly Fault[];
}

/** The kinds of targets by name. */
export const targets: ReadonlyMap<string, () => Promise<Target>> = new Map([
  ['single', () => onOneMachine(startSingle, 'annex')],
  ['threads', startThreads],
  ['processes', () => onOneMachine(startProcesses, 'object-storage')],
  ['replicas', () => startReplicas()],
  ['mixed', () => startReplicas({ isMixed: true })],
]);

const diskMegabytes = 256;

/** Connections to a process with two threads, which the system distributes. */
const connections = 6;

/** One process whose threads serve the clients of the history. */
async function startThreads(): Promise<Target> {
  const start = (options: RunnerOptions) => startSingle({ ...options, args: ['--serving-threads=2'] });
  const target = await onOneMachine(start, 'annex');
  const [server] = target.servers;
  const servers = Array.from({ length: connections }, () => server!);
  return Object.assign(target, { servers });
}

/** One process, or several. They have a wall clock of their own, and a disk of their own where that can be mounted. */
async function onOneMachine(
  start: (options: RunnerOptions) => Promise<Runner>,
  storage: string,
): Promise<Target> {
  await using opened = new AsyncDisposableStack();
  const clock = opened.use(ownClock());
  const disk = canMount() ? opened.use(smallDisk(diskMegabytes)) : undefined;
  const runner = await start({ ...(disk === undefined ? {} : { parent: disk.path }), env: clock.env });
  opened.defer(() => runner.stop());
  const faults = [...processFaults(runner), clock.fault];
  if (runner.pids().size > 1)
    faults.push({ name: 'kill -9 everything', happen: () => runner.restart('SIGKILL') });
  if (disk !== undefined) faults.push(diskFault(disk, diskMegabytes));
  if (canSlowDisks()) faults.push(slowDiskFault(storage, () => runner.pids().get(storage)!));
  const running = opened.move();
  return {
    servers: [await loadKubeconfig(runner.kubeconfig)],
    faults,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
