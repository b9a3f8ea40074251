import { createMetrics, nullLogger, systemClock } from '@annex/runtime';
import { Client } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EventRecorder, maxRememberedEvents, type Occurrence } from './event-recorder.ts';
import { type Served, serveKinds } from './served.fixture.ts';

const events = '/api/v1/namespaces/a/events';
const happened = (more: Partial<Occurrence['involved']> = {}): Occurrence => ({
  involved: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name: 'x', uid: '1', ...more },
  type: 'Warning',
  reason: 'Odd',
  message: 'it is odd',
});

let served: Served;
let client: Client;
let recorder: EventRecorder;

beforeEach(async () => {
  served = await serveKinds();
  client = new Client(served.client);
  recorder = new EventRecorder('tester', {
    api: served.api,
    clock: systemClock,
    log: nullLogger,
    metrics: createMetrics(),
  });
});
afterEach(async () => {
  await recorder.stop();
  client.close();
  await served.stop();
});

/** Resolves to the first event that matches, among existing and new events. */
async function seen(path: string, wanted: (event: KubeObject) => boolean): Promise<KubeObject> {
  const signal = AbortSignal.timeout(10_000);
  const options = { resourceVersion: '0', signal };
  for await (const { object } of client.watch<KubeObject>(path, options)) if (wanted(object)) return object;
  throw new Error('the watch ended');
}

it('writes an event, and increments its count when it repeats', async () => {
  recorder.record(happened());
  const first = await seen(events, () => true);
  expect(first).toMatchObject({
    involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'a', name: 'x', uid: '1' },
    type: 'Warning',
    reason: 'Odd',
    message: 'it is odd',
    source: { component: 'tester' },
    reportingComponent: 'tester',
    count: 1,
  });
  expect(first.metadata.name).toMatch(/^x\.[0-9a-f]+$/);
  recorder.record(happened());
  const second = await seen(events, ({ count }) => count === 2);
  expect(second.metadata.uid).toBe(first.metadata.uid);
});

it('writes events of cluster-scoped objects to the default namespace', async () => {
  recorder.record(happened({ namespace: '', kind: 'Node' }));
  const { involvedObject } = await seen('/api/v1/namespaces/default/events', () => true);
  expect(involvedObject).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'x', uid: '1' });
});

it('writes a new event if the existing one is gone', async () => {
  recorder.record(happened());
  const first = await seen(events, () => true);
  await client.json({ method: 'DELETE', path: `${events}/${first.metadata.name}` });
  recorder.record(happened());
  recorder.record(happened({ uid: '2' }));
  await seen(events, ({ involvedObject }) => (involvedObject as { uid: string }).uid === '2');
  recorder.record(happened());
  const again = await seen(
    events,
    ({ metadata, count }) => metadata.uid !== first.metadata.uid && count === 3,
  );
  expect(again.metadata.name).not.toBe(first.metadata.name);
});

it('forgets the oldest event beyond maxRememberedEvents, and then writes a new one', async () => {
  const written: string[] = [];
  const api = {
    json: ({ method, body }: { method: string; body: { count: number } & KubeObject }) => {
      written.push(`${method} ${body.count}`);
      return Promise.resolve({ metadata: { name: 'e', namespace: 'a' } });
    },
  };
  const deps = { api: api as never, clock: systemClock, log: nullLogger, metrics: createMetrics() };
  const busy = new EventRecorder('busy', deps);
  busy.record(happened({ uid: 'oldest' }));
  for (let i = 1; i < maxRememberedEvents; i++) busy.record(happened({ uid: `${i}` }));
  await expect.poll(() => written.length).toBe(maxRememberedEvents);
  busy.record(happened({ uid: 'oldest' }));
  await expect.poll(() => written.at(-1)).toBe('PATCH 2');
  busy.record(happened({ uid: 'one more' }));
  busy.record(happened({ uid: '1' }));
  await expect.poll(() => written.slice(-2)).toEqual(['POST 1', 'POST 1']);
  await busy.stop();
});
