import { expect, it } from 'vitest';
import { aNode, aPod, decisions } from '../cycle/decision.fixture.ts';
import type { Node } from '../objects/node.ts';
import type { PodSpec } from '../objects/pod.ts';
import { PodInfo } from '../objects/pod-info.ts';
import { helpfulChanges } from './helpful-changes.ts';

const required = (operator: string) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator, values: ['ssd'] }] }],
      },
    },
  },
});
const tainted: Node['spec'] = { taints: [{ key: 'gpu', value: 'x', effect: 'NoSchedule' }] };

it.each<[string, Partial<PodSpec>, string, string, string]>([
  [
    'taints',
    {},
    'TaintToleration',
    'node(s) had untolerated taint(s)',
    'add a toleration of gpu=x:NoSchedule to the Pod, or remove a taint: kubectl taint node NODE gpu-',
  ],
  [
    'node affinity',
    { nodeSelector: { zone: 'a' }, ...required('In') },
    'NodeAffinity',
    "node(s) didn't match Pod's node affinity/selector",
    'label a node as the Pod requires (zone=a and disk In ssd): kubectl label node NODE KEY=VALUE; or relax it',
  ],
  [
    'host ports',
    { containers: [{ name: 'c', ports: [{ containerPort: 80, hostPort: 80 }] }] },
    'NodePorts',
    "node(s) didn't have free ports for the requested pod ports",
    'end the Pod with host port TCP/80, or add a node',
  ],
  [
    'resources',
    { containers: [{ name: 'c', resources: { requests: { cpu: '5', memory: '1Gi' } } }] },
    'NodeResourcesFit',
    'Insufficient cpu',
    'the Pod needs 5 of cpu, of which a node has 4 free: request less, end other Pods, or add a larger node',
  ],
  [
    'too many Pods',
    {},
    'NodeResourcesFit',
    'Too many pods',
    'the Pod needs a place for a Pod: request less, end other Pods, or add a larger node',
  ],
  [
    'memory',
    { containers: [{ name: 'c', resources: { requests: { memory: '1Ti' } } }] },
    'NodeResourcesFit',
    'Insufficient memory',
    'the Pod needs 1Ti of memory, of which a node has 8Gi free: request less, end other Pods, or add a larger node',
  ],
  [
    'the name of a node',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['gone'] }] },
            ],
          },
        },
      },
    },
    'NodeAffinity',
    "node(s) didn't satisfy plugin(s) [NodeAffinity]",
    'the Pod is only for the node gone: add it, or change the Pod',
  ],
  ['claims', {}, 'VolumeBinding', 'persistentvolumeclaim "c1" not found', 'create the claim'],
  ['claims, at first', {}, 'VolumeRestrictions', 'persistentvolumeclaim "c1" not found', 'create the claim'],
  [
    'spread without labels',
    {},
    'PodTopologySpread',
    "node(s) didn't match pod topology spread constraints (missing required label)",
    'label the nodes with the topologyKey of the constraint, and add a node in the domain with the fewest Pods',
  ],
  [
    'anti-affinity of others',
    {},
    'InterPodAffinity',
    "node(s) didn't satisfy existing pods anti-affinity rules",
    'end the Pods whose anti-affinity names this one',
  ],
  [
    'device classes',
    {},
    'DynamicResources',
    'request r: device class gpu does not exist',
    'create the DeviceClass',
  ],
  ['plugins of users', {}, 'Mine', 'too dear', 'see the reasons of the nodes'],
])('what would help against %s', async (_name, spec, refusedBy, reason, advice) => {
  const { cluster } = await decisions([aNode('n1', { spec: tainted })]);
  const refusals = [{ node: 'n1', refusedBy, reasons: [reason] }];
  expect(helpfulChanges(new PodInfo(aPod('p', spec)), refusals, cluster)).toEqual([
    `${refusedBy} (1 of 1 nodes): ${advice}`,
  ]);
});

it('what the next plugin would refuse is advised as well', async () => {
  const { cluster } = await decisions([aNode('n1', { spec: tainted })]);
  const alsoRefusedBy = [{ plugin: 'NodePorts', reasons: ['taken'] }];
  const refusals = [{ node: 'n1', refusedBy: 'NodeUnschedulable', reasons: ['cordoned'], alsoRefusedBy }];
  expect(helpfulChanges(new PodInfo(aPod('p')), refusals, cluster)).toEqual([
    'NodeUnschedulable (1 of 1 nodes): uncordon a node: kubectl uncordon NODE',
    'NodePorts (1 of 1 nodes): end the Pod with host port , or add a node',
  ]);
});

it('every default plugin that refuses nodes has advice', async () => {
  const { cluster, profile } = await decisions([aNode('n1')]);
  const without = profile.at('filter').filter(({ name }) => {
    const refusals = [{ node: 'n1', refusedBy: name, reasons: ['a reason'] }];
    const [text] = helpfulChanges(new PodInfo(aPod('p')), refusals, cluster);
    return text?.endsWith('see the reasons of the nodes');
  });
  expect(without.map(({ name }) => name)).toEqual([]);
});
