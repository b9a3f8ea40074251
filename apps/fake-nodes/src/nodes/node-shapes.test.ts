import type { JsonObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { defaultNodes, maxFakeNodes, readNodes } from './node-shapes.ts';
import { healthConditions, isHealthy, nodeStatus } from './node-status.ts';
import type { Node } from './node.ts';

const shape = (more: JsonObject = {}): JsonObject => ({
  apiVersion: 'annex/v1alpha1',
  kind: 'NodeShape',
  metadata: { name: 'small' },
  ...more,
});

it('a shape has a count and a template', () => {
  const template = {
    metadata: { labels: { 'topology.kubernetes.io/zone': 'a' } },
    spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] },
    status: { capacity: { cpu: '2' } },
  };
  const errors: string[] = [];
  const nodes = readNodes([shape({ count: 2, template })], errors);
  expect(errors).toEqual([]);
  expect(nodes.map(({ metadata }) => metadata.name)).toEqual(['small-0', 'small-1']);
  expect(nodes[1]).toMatchObject({
    metadata: {
      labels: { 'topology.kubernetes.io/zone': 'a', 'kubernetes.io/hostname': 'small-1' },
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
    },
    spec: template.spec,
    status: template.status,
  });
});

it('a manifest of a Node is one node', () => {
  const errors: string[] = [];
  const manifest = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'one' },
    spec: { unschedulable: true },
  };
  expect(readNodes([manifest], errors)).toMatchObject([
    { metadata: { name: 'one' }, spec: { unschedulable: true } },
  ]);
  expect(errors).toEqual([]);
});

it.each<[string, JsonObject[], string]>([
  [
    'another kind',
    [{ kind: 'Pod' }],
    'document 1: kind: must be a NodeShape of annex/v1alpha1, or a Node of v1',
  ],
  ['a shape without a name', [shape({ metadata: {} })], 'document 1: metadata.name: is required'],
  ['an unknown field', [shape({ size: 3 })], 'document 1: size: unknown field'],
  ['too many nodes', [shape({ count: maxFakeNodes + 1 })], 'document 1: count: must be at most 20000'],
  [
    'too many nodes together',
    [shape({ count: maxFakeNodes }), shape({ metadata: { name: 'b' } })],
    'there are more than 20000 nodes',
  ],
  ['a name that is used twice', [shape(), shape()], 'there are two nodes with the name small-0'],
])('%s is refused', (_, documents, expected) => {
  const errors: string[] = [];
  readNodes(documents, errors);
  expect(errors.join('\n')).toContain(expected);
});

it('the status of a new node is that of a healthy kubelet', () => {
  const [node] = defaultNodes(1) as [Node];
  const status = nodeStatus(node, { address: '198.19.0.1', kubeletVersion: 'v1.36.3', time: 'now' });
  expect(status).toMatchObject({
    addresses: [
      { type: 'InternalIP', address: '198.19.0.1' },
      { type: 'Hostname', address: 'fake-node-0' },
    ],
    allocatable: { cpu: '32', pods: '110' },
    nodeInfo: { kubeletVersion: 'v1.36.3', operatingSystem: 'linux' },
  });
  expect(isHealthy({ ...node, status })).toBe(true);
});

it('a heartbeat changes the time of a transition only with the status', () => {
  const before = healthConditions([], 'first').map((condition) =>
    condition.type === 'Ready' ? { ...condition, status: 'Unknown' } : condition,
  );
  const after = healthConditions(before, 'second');
  expect(after.map(({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`)).toEqual([
    'MemoryPressure first',
    'DiskPressure first',
    'PIDPressure first',
    'Ready second',
  ]);
});
