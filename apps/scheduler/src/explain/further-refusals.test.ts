import { nullLogger } from '@annex/runtime';
import { expect, it } from 'vitest';
import { Decider } from '../cycle/decide.ts';
import { aNode, aPod, decisions } from '../cycle/decision.fixture.ts';
import { Cycle } from '../framework/cycle.ts';
import type { Node } from '../objects/node.ts';
import { PodInfo } from '../objects/pod-info.ts';
import { furtherRefusals } from './further-refusals.ts';

const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
const taint = { key: 'team', effect: 'NoSchedule' };

it.each<[string, Node['spec'], string, string[]]>([
  ['resources are checked behind a taint', { taints: [taint] }, 'TaintToleration', ['NodeResourcesFit']],
  [
    'the taint of a cordoned node is not named twice',
    { unschedulable: true, taints: [cordon] },
    'NodeUnschedulable',
    ['NodeResourcesFit'],
  ],
  [
    'other taints of a cordoned node are',
    { unschedulable: true, taints: [cordon, taint] },
    'NodeUnschedulable',
    ['TaintToleration', 'NodeResourcesFit'],
  ],
])('%s', async (_name, spec, refusedBy, further) => {
  const { cluster, profile } = await decisions([aNode('n1', { spec })]);
  const pod = new PodInfo(aPod('p', { requests: { cpu: '5' } }));
  const cycle = new Cycle();
  const decider = new Decider({ cluster, extenders: [], log: nullLogger, percentageOfNodesToScore: 0 });
  const decision = await decider.decide(profile, cycle, pod);
  expect(decision.kind === 'refused' && decision.diagnosis.get('n1')?.plugin).toBe(refusedBy);
  const found = furtherRefusals(profile, cycle, pod, cluster.node('n1'), refusedBy);
  expect(found.map(({ plugin }) => plugin)).toEqual(further);
});
