import { createMetrics, nullLogger } from '@annex/runtime';
import { FakeClock } from '@annex/testkit';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createControllers } from '../controllers.ts';
import { type Served, serveKinds } from '../served.fixture.ts';
import type { Namespace } from './namespace.ts';

const hold = ['ex.com/hold'];
const merge = { 'content-type': 'application/merge-patch+json' };

let served: Served;
beforeEach(async () => {
  served = await serveKinds();
});
afterEach(() => served.stop());

const path = (name: string) => `/api/v1/namespaces/${name}`;

/** Creates a namespace that a finalizer keeps, with ConfigMaps that finalizers keep. */
async function create(name: string, configMaps: string): Promise<void> {
  const namespace = { metadata: { name, finalizers: hold }, spec: { finalizers: ['kubernetes'] } };
  await served.api.json({ method: 'POST', path: '/api/v1/namespaces', body: namespace });
  for (const each of configMaps) {
    const body = { metadata: { name: each, finalizers: hold } };
    await served.api.json({ method: 'POST', path: `${path(name)}/configmaps`, body });
  }
}
const remove = (name: string) => served.api.json({ method: 'DELETE', path: path(name) });
const free = (name: string, configMap: string) =>
  served.api.json({
    method: 'PATCH',
    path: `${path(name)}/configmaps/${configMap}`,
    headers: merge,
    body: { metadata: { finalizers: null } },
  });
/** Resolves when an attempt has reported so many remaining ConfigMaps, and this many namespaces wait for the next attempt. */
const reported = (clock: FakeClock, name: string, count: number, waiting: number) =>
  vi.waitFor(async () => {
    const { status } = await served.api.json<Namespace>({ path: path(name) });
    const messages = status?.conditions?.map(({ message = '' }) => message).join();
    expect(messages).toContain(`configmaps. has ${count} resource instances`);
    expect(clock.pending).toBe(waiting);
  }, 20_000);
const attempts = (name: string) =>
  served.requests.filter((request) => request.startsWith(`GET ${path(name)}/configmaps?limit=1`)).length;

it('the reports of a deletion do not replace the pauses between its attempts', async () => {
  const clock = new FakeClock(Date.now());
  const controllers = createControllers(
    { clock, log: nullLogger, metrics: createMetrics() },
    { client: served.client, controllers: ['namespace-controller'], rootCa: '' },
  );
  onTestFinished(() => controllers.stop());
  await create('one', 'ab');
  await create('two', 'a');
  await remove('one');
  await controllers.start();
  await reported(clock, 'one', 2, 1);
  await free('one', 'a');
  await clock.advance(25);
  await reported(clock, 'one', 1, 1);
  // The controller is notified of this deletion after the report.
  await remove('two');
  await reported(clock, 'two', 1, 2);
  expect(attempts('one')).toBe(2);
});
