import { expect, it } from 'vitest';
import type { Node } from '../objects/node.ts';
import type { Pod } from '../objects/pod.ts';
import { aNode, aPod, decisions } from './decision.fixture.ts';

const near = (topologyKey: string, app = 'db') => ({ labelSelector: { matchLabels: { app } }, topologyKey });
const required = (...terms: object[]) => ({ requiredDuringSchedulingIgnoredDuringExecution: terms }) as never;
const noSchedule = { key: 'a', value: 'b', effect: 'NoSchedule' };

interface Case {
  nodes: readonly Node[];
  bound?: readonly [Pod, string][];
  pod: Pod;
  profile?: string;
  decided: string;
}

const cases: Record<string, Case> = {
  'a node without enough CPU is refused': {
    nodes: [aNode('n1')],
    pod: aPod('p', { requests: { cpu: '5' } }),
    decided: '0/1 nodes are available: 1 Insufficient cpu.',
  },
  'every missing resource of a node is named, and reasons are sorted as texts': {
    nodes: [aNode('n1'), aNode('n2', { spec: { unschedulable: true } })],
    pod: aPod('p', { requests: { cpu: '5', memory: '9Gi' } }),
    decided:
      '0/2 nodes are available: 1 Insufficient cpu, 1 Insufficient memory, 1 node(s) were unschedulable.',
  },
  'a full node has too many Pods': {
    nodes: [aNode('n1', { allocatable: { pods: '1' } })],
    bound: [[aPod('q'), 'n1']],
    pod: aPod('p'),
    decided: '0/1 nodes are available: 1 Too many pods.',
  },
  'an init container needs as much as it requests, next to the sidecars before it': {
    nodes: [aNode('n1')],
    pod: aPod('p', {
      initContainers: [
        { name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '2' } } },
        { name: 'i', resources: { requests: { cpu: '2100m' } } },
      ],
    }),
    decided: '0/1 nodes are available: 1 Insufficient cpu.',
  },
  'a taint without a toleration is refused': {
    nodes: [aNode('n1', { spec: { taints: [noSchedule] } })],
    pod: aPod('p', { tolerations: [{ key: 'a', value: 'c' }] }),
    decided: '0/1 nodes are available: 1 node(s) had untolerated taint(s).',
  },
  'a toleration that exists tolerates every value': {
    nodes: [aNode('n1', { spec: { taints: [noSchedule] } })],
    pod: aPod('p', { tolerations: [{ key: 'a', operator: 'Exists' }] }),
    decided: 'n1',
  },
  'a node selector chooses': {
    nodes: [aNode('n1'), aNode('n2', { labels: { disk: 'ssd' } })],
    pod: aPod('p', { nodeSelector: { disk: 'ssd' } }),
    decided: 'n2',
  },
  'names in matchFields leave the other nodes out': {
    nodes: [aNode('n1'), aNode('n2')],
    pod: aPod('p', {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n3'] }] }],
          },
        },
      },
    }),
    decided: "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
  },
  'a port in use is refused, also at another address': {
    nodes: [aNode('n1')],
    bound: [[aPod('q', { containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }] }), 'n1']],
    pod: aPod('p', {
      containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80, hostIP: '127.0.0.1' }] }],
    }),
    decided: "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.",
  },
  'anti-affinity keeps away from the zone': {
    nodes: [
      aNode('a1', { labels: { zone: 'a' } }),
      aNode('a2', { labels: { zone: 'a' } }),
      aNode('b1', { labels: { zone: 'b' } }),
    ],
    bound: [[aPod('q', {}, { app: 'db' }), 'a1']],
    pod: aPod('p', { affinity: { podAntiAffinity: required(near('zone')) } }),
    decided: 'b1',
  },
  'the anti-affinity of a Pod that runs counts as well': {
    nodes: [aNode('n1')],
    bound: [[aPod('q', { affinity: { podAntiAffinity: required(near('kubernetes.io/hostname')) } }), 'n1']],
    pod: aPod('p', {}, { app: 'db' }),
    decided: "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
  },
  'the first Pod of a group that is near to itself finds a node': {
    nodes: [aNode('n1')],
    pod: aPod('p', { affinity: { podAffinity: required(near('kubernetes.io/hostname')) } }, { app: 'db' }),
    decided: 'n1',
  },
  'a value that no label can have matches no node': {
    nodes: [aNode('n1', { labels: { disk: 'ssd' } })],
    pod: aPod('p', {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'disk', operator: 'NotIn', values: ['not a label'] }] },
            ],
          },
        },
      },
    }),
    decided: "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
  },
  'affinity to nobody is refused': {
    nodes: [aNode('n1')],
    pod: aPod('p', { affinity: { podAffinity: required(near('kubernetes.io/hostname')) } }),
    decided: "0/1 nodes are available: 1 node(s) didn't match pod affinity rules.",
  },
  'a constraint allows no larger skew': {
    nodes: [aNode('a1', { labels: { zone: 'a' } }), aNode('b1', { labels: { zone: 'b' } })],
    bound: [[aPod('q', {}, { app: 'db' }), 'a1']],
    pod: aPod(
      'p',
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'zone',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'db' } },
          },
        ],
      },
      { app: 'db' },
    ),
    decided: 'b1',
  },
  'a node without the label of a constraint is refused': {
    nodes: [aNode('n1')],
    pod: aPod('p', {
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
      ],
    }),
    decided:
      "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label).",
  },
  'the emptier node wins': {
    nodes: [aNode('n1'), aNode('n2')],
    bound: [[aPod('q', { requests: { cpu: '3', memory: '6Gi' } }), 'n1']],
    pod: aPod('p', { requests: { cpu: '100m', memory: '100Mi' } }),
    decided: 'n2',
  },
  'MostAllocated prefers the fuller node': {
    nodes: [aNode('n1'), aNode('n2')],
    bound: [[aPod('q', { requests: { cpu: '3', memory: '6Gi' } }), 'n1']],
    pod: aPod('p', { requests: { cpu: '100m', memory: '200Mi' } }),
    profile:
      '{"pluginConfig":[{"name":"NodeResourcesFit","args":{"scoringStrategy":{"type":"MostAllocated"}}}]}',
    decided: 'n1',
  },
  'a claim that does not exist is the message': {
    nodes: [aNode('n1')],
    pod: aPod('p', { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c1' } }] }),
    decided: '0/1 nodes are available: persistentvolumeclaim "c1" not found.',
  },
};

it.each(Object.entries(cases))('%s', async (_name, { nodes, bound = [], pod, profile, decided }) => {
  const cluster = await decisions(nodes, profile);
  for (const [one, node] of bound) cluster.bind(one, node);
  expect(await cluster.decide(pod)).toBe(decided);
});

it('a preference that cannot be parsed fails the decision', async () => {
  const cluster = await decisions([aNode('n1'), aNode('n2')]);
  const preference = { matchExpressions: [{ key: 'tier', operator: 'Gt', values: ['-1'] }] };
  const pod = aPod('p', {
    affinity: {
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] },
    },
  });
  await expect(cluster.decide(pod)).rejects.toThrow(
    'running PreScore plugin "NodeAffinity": [0].matchExpressions[0].values[0][tier]: Invalid value: "-1": a valid label must be',
  );
});

it('a nominated Pod of a higher priority keeps its place', async () => {
  const cluster = await decisions([aNode('n1')]);
  const { PodInfo } = await import('../objects/pod-info.ts');
  cluster.nominator.set(new PodInfo(aPod('high', { priority: 10, requests: { cpu: '3' } })), 'n1');
  expect(await cluster.decide(aPod('low', { requests: { cpu: '2' } }))).toContain('1 Insufficient cpu');
  expect(await cluster.decide(aPod('higher', { priority: 20, requests: { cpu: '2' } }))).toBe('n1');
});

it('of many nodes only some are examined, from where the last search ended', async () => {
  const nodes = Array.from({ length: 400 }, (_, i) => aNode(`n${i}`));
  const cluster = await decisions(nodes, '{"percentageOfNodesToScore":25}');
  const examined = new Set<string>();
  const filter = cluster.profile.at('filter')[0];
  const original = filter?.filter?.bind(filter);
  if (filter !== undefined)
    filter.filter = (cycle, pod, node) => {
      examined.add(node.name);
      return original?.(cycle, pod, node);
    };
  await cluster.decide(aPod('p'));
  expect(examined.size).toBe(100);
  await cluster.decide(aPod('q'));
  expect(examined.size).toBe(200);
});

it('of two Pods that were placed on the same host port, the first one that ends frees it, as in kube-scheduler', async () => {
  const cluster = await decisions([aNode('n1')]);
  const onPort = (name: string) =>
    aPod(name, { containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }] });
  const [first, second] = [onPort('a'), onPort('b')];
  cluster.bind(first, 'n1');
  cluster.bind(second, 'n1');
  expect(await cluster.decide(onPort('p'))).toContain("didn't have free ports");
  cluster.cluster.node('n1')?.removePod({ uid: first.metadata.uid ?? '' });
  expect(await cluster.decide(onPort('p'))).toBe('n1');
});
