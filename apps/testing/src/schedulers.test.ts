import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type KubeObject, startAnnex, type TestAnnex } from './index.ts';

interface Pod extends KubeObject {
  spec: { nodeName?: string; schedulerName?: string };
  status?: { conditions?: { type: string; status: string; reason?: string; message?: string }[] };
}

interface Event extends KubeObject {
  reason: string;
  reportingController?: string;
  regarding?: { name?: string };
}

let annex: TestAnnex;

beforeAll(async () => {
  annex = await startAnnex({ schedulers: ['default-scheduler', 'my-scheduler'], fakeNodes: 2 });
}, 60_000);
afterAll(() => annex.stop());

const pods = () =>
  annex.admin.resource<Pod>({ apiVersion: 'v1', resource: 'pods', kind: 'Pod', namespace: 'default' });
const create = (name: string, spec: object = {}) =>
  pods().create({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } } as never);
const bound = (name: string) =>
  pods().waitFor(name, (pod) => (pod.spec.nodeName ?? '') !== '', { timeoutMs: 30_000 });

async function schedulerOf(name: string): Promise<string | undefined> {
  const events = annex.admin.resource<Event>({
    apiVersion: 'events.k8s.io/v1',
    resource: 'events',
    kind: 'Event',
    namespace: 'default',
  });
  const find = async () =>
    (await events.list()).find(({ reason, regarding }) => reason === 'Scheduled' && regarding?.name === name);
  return (await vi.waitUntil(find, { timeout: 20_000, interval: 100 })).reportingController;
}

it('SCH-029: a Pod without a scheduler name is bound by default-scheduler', async () => {
  const { spec } = await create('no-annotation');
  expect(spec.schedulerName).toBe('default-scheduler');
  expect((await bound('no-annotation')).spec.nodeName).toMatch(/^fake-node-/);
});

it('SCH-001, SCH-031, SCH-034: a Pod is bound by the scheduler that it names, and its event says so', async () => {
  await create('of-default', { schedulerName: 'default-scheduler' });
  await create('of-mine', { schedulerName: 'my-scheduler' });
  await Promise.all(['of-default', 'of-mine'].map(bound));
  expect(await schedulerOf('of-default')).toBe('default-scheduler');
  expect(await schedulerOf('of-mine')).toBe('my-scheduler');
});

it('SCH-011: a Pod that fits nowhere has the reason of each node in its condition', async () => {
  await create('nowhere', { nodeSelector: { disk: 'ssd' } });
  const { status } = await pods().waitFor(
    'nowhere',
    (pod) => (pod.status?.conditions ?? []).some(({ type }) => type === 'PodScheduled'),
    { timeoutMs: 30_000 },
  );
  expect(status?.conditions?.find(({ type }) => type === 'PodScheduled')).toMatchObject({
    status: 'False',
    reason: 'Unschedulable',
    message: expect.stringContaining(
      "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. ",
    ) as string,
  });
});
