import { setTimeout } from 'node:timers/promises';
import { type ClientConfig, loadKubeconfig } from '@annex/client';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { canMount, smallDisk } from '../suites/small-disk.ts';
import { clusterFaults } from './etcd-faults.ts';
import { type EtcdMember, startEtcdMembers } from './etcd-members.ts';
import { diskFault, type Fault, processFaults, restartSupervised, slowDiskFault } from './faults.ts';
import { Network } from './network.ts';
import { mixedStarts } from './mixed-starts.ts';
import { ownClock } from './own-clock.ts';
import { canSlowDisks } from './slow-disk.ts';

/** The longest time without a network, in milliseconds. */
const longestMs = 3_000;
/** Enough for the files that etcd allocates in advance. */
const diskMegabytes = 512;

/**
 * Two replicas on three members of etcd, each behind a network of its own. With `isMixed`, each start of a replica is one of another
 * configuration or version, and their clocks differ from the beginning.
 */
export async function startReplicas({ isMixed = false } = {}): Promise<
  AsyncDisposable & { servers: ClientConfig[]; faults: Fault[] }
> {
  await using opened = new AsyncDisposableStack();
  const disk = canMount() ? opened.use(smallDisk(diskMegabytes)) : undefined;
  const cluster = await startEtcdMembers(opened, disk === undefined ? {} : { 'etcd-3': disk.path });
  const { members } = cluster;
  const faults = clusterFaults(cluster);
  if (disk !== undefined) faults.push(fullDiskOf(members[2]!, diskFault(disk, diskMegabytes)));
  if (canSlowDisks())
    faults.push(...members.map((member) => slowDiskFault(member.name, () => member.process().pid)));
  const runners: Runner[] = [];
  for (const name of ['annex-1', 'annex-2']) {
    const network = new Network();
    const ports = await Promise.all(members.map(({ port }) => network.proxy(port, opened)));
    const etcd = ports.map((port) => `http://127.0.0.1:${port}`).join(',');
    const clock = opened.use(ownClock(` of ${name}`));
    if (isMixed) await clock.fault.happen(() => runners.length / 4);
    const variant = mixedStarts(runners.length);
    const args = [`--etcd-servers=${etcd}`];
    const runner = await startSingle({ args, env: clock.env, ...(isMixed ? { variant } : {}) });
    opened.defer(() => runner.stop());
    runners.push(runner);
    faults.push(...processFaults(runner).map((fault) => ({ ...fault, name: `${fault.name} (${name})` })));
    faults.push(...networkFaults(name, network), clock.fault);
  }
  faults.push(killEverything(members, runners));
  if (isMixed) faults.push(...Array.from({ length: faults.length }, () => rollingUpgrade(runners)));
  const servers = await Promise.all(runners.map(({ kubeconfig }) => loadKubeconfig(kubeconfig)));
  const running = opened.move();
  return { servers, faults, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** A member ends when its disk is full. Its supervisor starts it when there is space again. */
const fullDiskOf = (member: EtcdMember, fault: Fault): Fault => ({
  name: `${fault.name} of ${member.name}`,
  async happen(random) {
    let hasEnded = false;
    void member.process().exited.then(() => (hasEnded = true));
    await fault.happen(random);
    if (hasEnded) await member.restart('SIGKILL');
  },
});

const killEverything = (members: readonly EtcdMember[], runners: readonly Runner[]): Fault => ({
  name: 'kill -9 everything',
  async happen() {
    await Promise.all(runners.map((runner) => runner.kill('annex', 'SIGKILL')));
    await Promise.all(members.map((member) => member.restart('SIGKILL')));
    await Promise.all(runners.map((runner) => restartSupervised(runner, 'SIGKILL')));
  },
});

/** Restarts one replica after the other, each with its next configuration and version: as often as all other faults. */
const rollingUpgrade = (runners: readonly Runner[]): Fault => ({
  name: 'rolling upgrade',
  async happen() {
    for (const runner of runners) await restartSupervised(runner, 'SIGTERM');
  },
});

const networkFaults = (name: string, network: Network): Fault[] => [
  {
    name: `partition ${name} from etcd`,
    async happen(random) {
      network.cut();
      await setTimeout(random() * longestMs);
      network.heal();
    },
  },
  {
    name: `delay between ${name} and etcd`,
    async happen(random) {
      network.delay(random() * 300);
      await setTimeout(random() * longestMs);
      network.heal();
    },
  },
];
