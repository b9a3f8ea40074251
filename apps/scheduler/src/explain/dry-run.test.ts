import type { KubeObject } from '@annex/machinery';
import { expect, it } from 'vitest';
import { aNode, aPod } from '../cycle/decision.fixture.ts';
import { dryRun } from './dry-run.ts';

const nodes = [aNode('n1'), aNode('n2')];
const onNode = (name: string, nodeName: string, priority: number) =>
  aPod(name, { nodeName, priority, requests: { cpu: '4' } });
const objects = (...pods: KubeObject[]) =>
  new Map<string, KubeObject[]>([
    ['/api/v1/nodes', nodes],
    ['/api/v1/pods', pods],
  ]);
const pod = aPod('p', { priority: 5, requests: { cpu: '2' } });

it('all nodes with the highest score are listed', async () => {
  expect(await dryRun(objects(), pod)).toEqual({
    nodes: ['n1', 'n2'],
    message: '',
    nominatedNode: '',
    victims: [],
  });
});

it('a refusal has the message of the plugins that cannot make room', async () => {
  const { message } = await dryRun(objects(onNode('a', 'n1', 9), onNode('b', 'n2', 9)), pod);
  expect(message).toBe(
    '0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.',
  );
});

it('preemption names the node and the victims, and deletes nothing', async () => {
  expect(await dryRun(objects(onNode('a', 'n1', 9), onNode('b', 'n2', 1)), pod)).toEqual({
    nodes: [],
    message: '0/2 nodes are available: 2 Insufficient cpu.',
    nominatedNode: 'n2',
    victims: ['default/b'],
  });
});
