import { setTimeout } from 'node:timers/promises';
import type { EtcdCluster, EtcdMember } from './etcd-members.ts';
import { type Fault, pauseFault } from './faults.ts';
import type { Links } from './network.ts';

/** The longest time without a network or space, in milliseconds. */
const longestMs = 3_000;
/** The longest delay of what one member sends to another, in milliseconds. Leaders are lost after a second. */
const longestDelayMs = 600;
/** Revisions that compaction keeps. Clients that continue a watch are not farther behind. */
const keptRevisions = 200;

/** Returns what can go wrong with a cluster and each of its members. */
export const clusterFaults = (cluster: EtcdCluster): Fault[] => [
  ...cluster.members.flatMap((member) => memberFaults(member, cluster)),
  ...leaderFaults(cluster),
  ...maintenanceFaults(cluster),
];

const memberFaults = (member: EtcdMember, { peers }: EtcdCluster): Fault[] => [
  { name: `kill -9 ${member.name}`, happen: () => member.restart('SIGKILL') },
  { name: `restart ${member.name}`, happen: () => member.restart('SIGTERM') },
  pauseFault(member.name, () => member.process().pid),
  {
    name: `partition ${member.name} from the other members`,
    async happen(random) {
      peers.cut(await linksOf(member));
      await setTimeout(random() * longestMs);
      peers.heal();
    },
  },
  {
    name: `delay between ${member.name} and the other members`,
    async happen(random) {
      peers.delay(random() * longestDelayMs, await linksOf(member));
      await setTimeout(random() * longestMs);
      peers.heal();
    },
  },
];

async function linksOf({ api, peerPort }: EtcdMember): Promise<Links> {
  const { member } = await api.status();
  return ({ to, from }) => to === peerPort || from === member;
}

const leaderFaults = (cluster: EtcdCluster): Fault[] => [
  {
    name: 'kill -9 the leader of etcd',
    happen: async () => (await leaderOf(cluster)).restart('SIGKILL'),
  },
  {
    name: 'partition the leader of etcd from the other members',
    async happen(random) {
      cluster.peers.cut(await linksOf(await leaderOf(cluster)));
      await setTimeout(random() * longestMs);
      cluster.peers.heal();
    },
  },
  {
    name: 'another leader of etcd',
    async happen() {
      const leader = await leaderOf(cluster);
      const next = cluster.members.find((member) => member !== leader)!;
      await leader.api.moveLeader((await next.api.status()).member);
    },
  },
  {
    name: 'kill -9 all of etcd',
    happen: async () => void (await Promise.all(cluster.members.map((member) => member.restart('SIGKILL')))),
  },
];

/** Resolves to the leader, when the members have one. */
async function leaderOf({ members }: EtcdCluster): Promise<EtcdMember> {
  for (;;) {
    for (const member of members) {
      const status = await member.api.status();
      if (status.leader === status.member) return member;
    }
    await setTimeout(100);
  }
}

const maintenanceFaults = ({ members }: EtcdCluster): Fault[] => {
  const anyOf = (random: () => number) => members[Math.floor(random() * members.length)]!;
  return [
    {
      name: 'compaction of etcd',
      async happen(random) {
        const { api } = anyOf(random);
        const { revision } = await api.status();
        // Annex compacts too, and etcd refuses what is compacted already.
        if (revision > keptRevisions) await api.compact(revision - keptRevisions).catch(ifCompacted);
      },
    },
    { name: 'defragmentation of a member', happen: (random) => anyOf(random).api.defragment() },
    {
      name: 'etcd has no space',
      async happen(random) {
        const { api } = anyOf(random);
        await api.setNoSpace(true);
        await setTimeout(random() * longestMs);
        await api.setNoSpace(false);
      },
    },
  ];
};

function ifCompacted(error: Error): void {
  if (!error.message.includes('has been compacted')) throw error;
}
