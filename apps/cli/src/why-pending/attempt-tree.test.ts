import { expect, it } from 'vitest';
import { attemptTree } from './attempt-tree.ts';

const attempt = {
  at: '2026-01-01T00:00:00.000Z',
  schedulerName: 'my-scheduler',
  number: 2,
  queuedBy: 'NodeAdd',
  durationMs: 1.26,
  message: '',
  refusals: [],
};

it('an attempt that was refused has a line for each reason', () => {
  const refusals = [
    { plugin: 'NodeResourcesFit', reason: 'Insufficient cpu', nodes: 5, examples: ['n1', 'n2', 'n3'] },
    { plugin: 'NodeName', reason: 'no', nodes: 1, examples: ['n6'] },
  ];
  const text = attemptTree({
    ...attempt,
    result: 'unschedulable',
    message: '0/6 nodes are available.',
    refusals,
    node: 'n1',
  });
  expect(text.split('\n')).toEqual([
    'attempt 2 of my-scheduler: unschedulable, preemption makes room on n1 after 1.3 ms',
    '├─ began 2026-01-01T00:00:00.000Z, queued by NodeAdd',
    '├─ NodeResourcesFit: Insufficient cpu on n1, n2, n3 and 2 more',
    '├─ NodeName: no on n6',
    '└─ 0/6 nodes are available.',
  ]);
});

it('an attempt that bound the Pod has the scores of its node', () => {
  const scores = { ImageLocality: 0, TaintToleration: 300 };
  const text = attemptTree({ ...attempt, result: 'bound', node: 'n1', feasibleNodes: 2, scores });
  expect(text.split('\n').slice(2)).toEqual([
    '└─ 2 nodes fit; this one has 300 points',
    '   ├─ TaintToleration 300',
    '   └─ ImageLocality 0',
  ]);
});
