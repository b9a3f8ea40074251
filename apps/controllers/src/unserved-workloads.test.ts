import type { KubeObject } from '@annex/machinery';
import { createMetrics, nullLogger } from '@annex/runtime';
import { FakeClock } from '@annex/testkit';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type Controllers, createControllers } from './controllers.ts';
import { type Served, serveKinds } from './served.fixture.ts';
import { maxWorkloadHints } from './unserved-workloads.ts';

let served: Served;
beforeEach(async () => {
  served = await serveKinds();
});
afterEach(() => served.stop());

interface HintEvent extends KubeObject {
  involvedObject: { kind: string; name: string };
  type: string;
  reason: string;
  message: string;
}

const create = (namespace: string, resource: string, name: string, more: object = {}) =>
  served.api.json<KubeObject>({
    method: 'POST',
    path: `/apis/${resource === 'jobs' ? 'batch' : 'apps'}/v1/namespaces/${namespace}/${resource}`,
    body: { metadata: { name }, ...more },
  });
const eventsIn = async (namespace: string) =>
  (await served.api.json<{ items: HintEvent[] }>({ path: `/api/v1/namespaces/${namespace}/events` })).items;

/** Starts the controller at the time of the server; returns a function that lets time pass. */
async function start(): Promise<{ clock: FakeClock; controllers: Controllers }> {
  const clock = new FakeClock(Date.now());
  const controllers = createControllers(
    { clock, log: nullLogger, metrics: createMetrics() },
    { client: served.client, controllers: ['unserved-workloads'], rootCa: '' },
  );
  onTestFinished(() => controllers.stop());
  await controllers.start();
  await clock.advance(5_000);
  return { clock, controllers };
}

/** Lets time pass until there are this many events. */
async function eventsAfter(clock: FakeClock, namespace: string, count: number): Promise<HintEvent[]> {
  return await vi.waitFor(async () => {
    await clock.advance(1_000);
    const events = await eventsIn(namespace);
    expect(events).toHaveLength(count);
    return events;
  }, 20_000);
}

it('a workload that no controller observes gets one Warning event', async () => {
  await create('one', 'deployments', 'web');
  await create('one', 'statefulsets', 'observed');
  await served.api.json({
    method: 'PATCH',
    path: '/apis/apps/v1/namespaces/one/statefulsets/observed/status',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { status: { observedGeneration: 1 } },
  });
  await create('one', 'jobs', 'external', { spec: { managedBy: 'example.com/jobs' } });
  await create('one', 'jobs', 'task');
  const { clock, controllers } = await start();
  const events = await eventsAfter(clock, 'one', 2);
  expect(events.map(({ involvedObject: { kind, name } }) => `${kind}/${name}`).sort()).toEqual([
    'Deployment/web',
    'Job/task',
  ]);
  expect(events[0]).toMatchObject({
    type: 'Warning',
    reason: 'NoController',
    message: expect.stringContaining('Start kube-controller-manager beside it') as string,
  });
  // Another process finds the events, and writes none.
  await controllers.stop();
  const { clock: later } = await start();
  await create('one', 'daemonsets', 'last');
  await eventsAfter(later, 'one', 3);
});

it('many workloads get a limited number of events', async () => {
  for (let index = 0; index < maxWorkloadHints + 10; index++)
    await create('many', 'replicasets', `set-${index}`);
  const { clock } = await start();
  await eventsAfter(clock, 'many', maxWorkloadHints);
});
