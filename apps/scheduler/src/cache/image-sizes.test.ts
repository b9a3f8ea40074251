import { expect, it } from 'vitest';
import { aNode } from '../cycle/decision.fixture.ts';
import { Cluster } from './cluster.ts';

const withImage = (name: string, sizeBytes: number) => {
  const node = aNode(name);
  return { ...node, status: { ...node.status, images: [{ names: ['registry.example/a:1'], sizeBytes }] } };
};

it('an image has the size on the node that reported it first, until no node has it', () => {
  const cluster = new Cluster();
  const sizeOn = (node: string) => cluster.node(node)?.images.get('registry.example/a:1')?.size;
  cluster.setNode(withImage('n1', 100));
  cluster.setNode(withImage('n2', 200));
  expect(sizeOn('n2')).toBe(100);
  cluster.deleteNode('n1');
  cluster.deleteNode('n2');
  cluster.setNode(withImage('n2', 200));
  expect(sizeOn('n2')).toBe(200);
});
