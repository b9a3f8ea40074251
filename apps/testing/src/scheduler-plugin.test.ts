import { startScheduler } from '@annex/scheduler';
import { nodePrice } from '@annex/scheduler-plugin';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type KubeObject, startAnnex, type TestAnnex } from './index.ts';

const config = {
  apiVersion: 'kubescheduler.config.k8s.io/v1',
  kind: 'KubeSchedulerConfiguration',
  leaderElection: { leaderElect: false },
  profiles: [
    {
      schedulerName: 'thrifty',
      plugins: { multiPoint: { enabled: [{ name: 'NodePrice', weight: 10 }] } },
      pluginConfig: [{ name: 'NodePrice', args: { label: 'price' } }],
    },
  ],
};
const node = (name: string, price: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: { price } },
});

let annex: TestAnnex;
let scheduler: AsyncDisposable;
beforeAll(async () => {
  annex = await startAnnex({ fakeNodes: { nodes: [node('cheap', '3'), node('dear', '20')] } });
  scheduler = await startScheduler({ kubeconfig: annex.admin.kubeconfigFile, config, plugins: [nodePrice] });
});
afterAll(async () => {
  await scheduler[Symbol.asyncDispose]();
  await annex.stop();
});

const pods = () =>
  annex.admin.resource<Pod>({ apiVersion: 'v1', resource: 'pods', kind: 'Pod', namespace: 'default' });
interface Pod extends KubeObject {
  spec: { nodeName?: string };
  status?: { conditions?: { type: string; message?: string }[] };
}
const create = (name: string, maxPrice?: string) =>
  pods().create({
    metadata: {
      name,
      ...(maxPrice === undefined ? {} : { annotations: { 'example.com/max-price': maxPrice } }),
    },
    spec: { schedulerName: 'thrifty', containers: [{ name: 'c', image: 'i' }] },
  } as never);

it('a Pod is bound to the node with the lowest price', async () => {
  await create('any');
  const { spec } = await pods().waitFor('any', (pod) => pod.spec.nodeName !== undefined);
  expect(spec.nodeName).toBe('cheap');
});

it('a Pod waits until a node has a price that it allows', async () => {
  await create('poor', '2');
  const { status } = await pods().waitFor('poor', (pod) => pod.status?.conditions !== undefined);
  expect(status?.conditions?.[0]?.message).toContain(
    '0/2 nodes are available: 2 node(s) cost more than the pod allows.',
  );
  await annex.admin.client.json({
    method: 'PATCH',
    path: '/api/v1/nodes/dear',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { labels: { price: '1' } } },
  });
  const { spec } = await pods().waitFor('poor', (pod) => pod.spec.nodeName !== undefined);
  expect(spec.nodeName).toBe('dear');
});

it('arguments are checked by the schema', async () => {
  const [profile] = config.profiles;
  const pluginConfig = [{ name: 'NodePrice', args: { unknownPrice: -1, lable: 'price' } }];
  const started = startScheduler({
    kubeconfig: annex.admin.kubeconfigFile,
    config: { ...config, profiles: [{ ...profile, pluginConfig }] },
    plugins: [nodePrice],
  });
  await expect(started).rejects.toThrow(
    'initializing plugin "NodePrice": args.unknownPrice: Invalid value: -1: args.unknownPrice in body should be greater than or equal to 0, unknown field "args.lable"',
  );
});
