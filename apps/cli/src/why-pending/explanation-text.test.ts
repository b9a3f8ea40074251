import { expect, it } from 'vitest';
import { explanationText } from './explanation-text.ts';

it('a refused Pod has a line for each node, and what would help', () => {
  const text = explanationText({
    pod: 'default/p',
    state: 'fits on no node',
    message: '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.',
    nodes: [
      {
        node: 'n1',
        refusedBy: 'NodeResourcesFit',
        reasons: ['Insufficient cpu'],
        alsoRefusedBy: [{ plugin: 'VolumeZone', reasons: ['another zone'] }],
      },
      { node: 'node-2', refusedBy: 'NodeUnschedulable', reasons: ['node(s) were unschedulable'] },
    ],
    changes: ['uncordon a node'],
  });
  expect(text.split('\n')).toEqual([
    'Pod default/p: fits on no node',
    '0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.',
    '',
    'n1      NodeResourcesFit   Insufficient cpu; then VolumeZone: another zone',
    'node-2  NodeUnschedulable  node(s) were unschedulable',
    '',
    'What would help:',
    '  uncordon a node',
  ]);
});

it('nodes that fit have their scores, the highest part first', () => {
  const nodes = [{ node: 'n1', total: 300, scores: { ImageLocality: 0, TaintToleration: 300 } }];
  const text = explanationText({
    pod: 'default/p',
    state: 'fits: n1 is the best node',
    message: '',
    nodes,
    changes: [],
  });
  expect(text).toContain('n1  fits  300 = TaintToleration 300 + ImageLocality 0');
});
