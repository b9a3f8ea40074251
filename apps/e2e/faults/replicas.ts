import { setTimeout } from 'node:timers/promises';
import { type ClientConfig, loadKubeconfig } from '@annex/client';
import { startSingle } from '../runners/single-runner.ts';
import { type EtcdMember, startEtcdMembers } from './etcd-members.ts';
import { type Fault, processFaults } from './faults.ts';
import { Network } from './network.ts';

/** The longest time without a network or a member, in milliseconds. */
const longestMs = 3_000;

/** Two replicas on three members of etcd, each behind a network of its own. */
export async function startReplicas(): Promise<
  AsyncDisposable & { servers: ClientConfig[]; faults: Fault[] }
> {
  await using opened = new AsyncDisposableStack();
  const members = await startEtcdMembers(opened);
  const faults: Fault[] = [...members.flatMap(memberFaults), killAll(members)];
  const servers: ClientConfig[] = [];
  for (const name of ['annex-1', 'annex-2']) {
    const network = new Network();
    const ports = await Promise.all(members.map(({ port }) => network.proxy(port, opened)));
    const etcd = ports.map((port) => `http://127.0.0.1:${port}`).join(',');
    const runner = await startSingle({ args: [`--etcd-servers=${etcd}`] });
    opened.defer(() => runner.stop());
    servers.push(await loadKubeconfig(runner.kubeconfig));
    faults.push(...processFaults(runner).map((fault) => ({ ...fault, name: `${fault.name} (${name})` })));
    faults.push(...networkFaults(name, network));
  }
  const running = opened.move();
  return { servers, faults, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const memberFaults = (member: EtcdMember): Fault[] => [
  { name: `kill -9 ${member.name}`, happen: () => member.restart('SIGKILL') },
  { name: `restart ${member.name}`, happen: () => member.restart('SIGTERM') },
  {
    name: `pause ${member.name}`,
    async happen(random) {
      member.process().kill('SIGSTOP');
      await setTimeout(random() * longestMs);
      member.process().kill('SIGCONT');
    },
  },
];

const killAll = (members: readonly EtcdMember[]): Fault => ({
  name: 'kill -9 all of etcd',
  happen: async () => void (await Promise.all(members.map((member) => member.restart('SIGKILL')))),
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
