import { type ConflictCheck, optionGroup, type OptionsTable } from '@annex/runtime';
import { AddressPool } from './address-pool.ts';
import { maxFakeNodes } from './nodes/node-shapes.ts';

/** The fake nodes of a process. */
export interface FakeNodesConfig {
  fakeNodes: string;
  fakeNodeStages: readonly string[];
  fakeNodeCidr: string;
  fakePodCidr: string;
  nodeLeaseDurationSeconds: number;
  nodeStatusReportFrequency: number;
}

/** The options of fake nodes, which `annex up` has too. */
export const fakeNodesOptions: OptionsTable<FakeNodesConfig> = optionGroup('Fake nodes', {
  fakeNodes: {
    flag: 'fake-nodes',
    type: 'string',
    default: '',
    help: 'The nodes to create: their number, or a file with NodeShapes and manifests of Nodes. Nodes with the annotation kwok.x-k8s.io/node=fake are kept ready, too.',
  },
  fakeNodeStages: {
    flag: 'fake-node-stages',
    type: 'list',
    default: [],
    help: 'Files with Stages, which delay changes of Pods and nodes, prevent them, or let them fail.',
  },
  fakeNodeCidr: {
    flag: 'fake-node-cidr',
    type: 'string',
    default: '198.19.0.0/16',
    help: 'The IPv4 network of the addresses of nodes. Nothing listens there.',
  },
  fakePodCidr: {
    flag: 'fake-pod-cidr',
    type: 'string',
    default: '198.18.0.0/16',
    help: 'The IPv4 network of the addresses of Pods. Nothing listens there.',
  },
  nodeLeaseDurationSeconds: {
    flag: 'node-lease-duration-seconds',
    type: 'int',
    default: 40,
    min: 4,
    max: 86_400,
    help: 'The duration of the Leases of nodes. They are renewed four times as often; with more than 1,000 nodes, twice as often.',
  },
  nodeStatusReportFrequency: {
    flag: 'node-status-report-frequency',
    type: 'duration',
    default: 300_000,
    min: 1_000,
    help: 'The time between two reports of a node whose status did not change.',
  },
});

/** Checks rules between options. */
export const fakeNodesConflicts: ConflictCheck<FakeNodesConfig> = (config) => {
  const problems = [
    ['--fake-node-cidr', config.fakeNodeCidr],
    ['--fake-pod-cidr', config.fakePodCidr],
  ].flatMap(([flag, cidr]) => {
    try {
      return new AddressPool(cidr ?? '') && [];
    } catch (error) {
      return [`${flag}: ${(error as Error).message}`];
    }
  });
  const count = nodeCount(config.fakeNodes);
  if (count !== undefined && count > maxFakeNodes)
    problems.push(`--fake-nodes: at most ${maxFakeNodes} nodes`);
  if (config.fakeNodes === '' && config.fakeNodeStages.length > 0)
    problems.push('--fake-node-stages requires --fake-nodes; 0 creates none');
  return problems;
};

/** Returns the number in `--fake-nodes`; `undefined` if it is a file. */
export const nodeCount = (text: string): number | undefined =>
  /^\d{1,9}$/.test(text) ? Number(text) : undefined;
