import { expect, it } from 'vitest';
import { aNode, aPod, decisions } from '../../cycle/decision.fixture.ts';
import { Cycle } from '../../framework/cycle.ts';
import { Diagnosis } from '../../framework/diagnosis.ts';
import type { Handle } from '../../framework/handle.ts';
import { Status } from '../../framework/status.ts';
import { PodInfo } from '../../objects/pod-info.ts';
import { chooseNode } from './choose-node.ts';
import { selectVictims, type Victims } from './select-victims.ts';

const started = (priority: number, startTime: string) => {
  const pod = aPod('v', { priority });
  return new PodInfo({ ...pod, status: { startTime } });
};
const victims = (node: string, budgetViolations: number, ...pods: PodInfo[]): Victims => ({
  node,
  pods,
  budgetViolations,
});
const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];

it.each<[string, Victims[], string]>([
  ['fewer violated budgets', [victims('a', 1, started(1, late)), victims('b', 0, started(9, early))], 'b'],
  [
    'the lower highest priority',
    [victims('a', 0, started(5, late)), victims('b', 0, started(4, early))],
    'b',
  ],
  [
    'the smaller sum of priorities',
    [
      victims('a', 0, started(5, late), started(4, late)),
      victims('b', 0, started(5, late), started(1, early)),
    ],
    'b',
  ],
  [
    'fewer victims',
    [victims('a', 0, started(5, late), started(5, late)), victims('b', 0, started(5, early))],
    'b',
  ],
  ['the later start', [victims('a', 0, started(5, early)), victims('b', 0, started(5, late))], 'b'],
])('preemption prefers %s', (_name, candidates, node) => {
  expect(chooseNode(candidates)?.node).toBe(node);
});

it('the more important Pods are spared', async () => {
  const { cluster, profile } = await decisions([aNode('n1')]);
  const pods = [
    aPod('low', { priority: 1, requests: { cpu: '2' } }),
    aPod('mid', { priority: 5, requests: { cpu: '2' } }),
  ];
  for (const pod of pods) cluster.setPod(new PodInfo(pod), 'n1');
  const pod = new PodInfo(aPod('p', { priority: 9, requests: { cpu: '2' } }));
  const cycle = new Cycle();
  await profile.preFilter(cycle, pod, new Diagnosis());
  const handle = {
    cluster,
    filterNode: profile.filterNode.bind(profile),
    addPod: profile.addPod.bind(profile),
    removePod: profile.removePod.bind(profile),
  } as unknown as Handle;
  const node = cluster.node('n1');
  const found = node === undefined ? undefined : selectVictims(handle, cycle, pod, node);
  expect(found instanceof Status ? found.message : found?.pods.map(({ name }) => name)).toEqual(['low']);
  expect(node?.pods.size).toBe(2);
});
