import { Client, loadKubeconfig } from '@annex/client';
import { definitionManifest } from '@annex/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startProcesses } from '../runners/compose-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { Load } from './load.ts';
import { patienceMs } from './patience.ts';
import { configMaps, type LoadedKind } from './recorded-load.ts';

const notes: LoadedKind = {
  apiVersion: 'load.example.com/v1',
  kind: 'Note',
  path: '/apis/load.example.com/v1/namespaces/default/notes',
};
const crd = definitionManifest({
  group: 'load.example.com',
  kind: 'Note',
  schema: { properties: { data: { type: 'object', additionalProperties: { type: 'string' } } } },
});

let annex: Runner;
beforeAll(async () => {
  annex = await startProcesses({ controllers: '*' });
  const client = new Client(await loadKubeconfig(annex.kubeconfig));
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await client.json({ method: 'POST', path, body: crd });
  const served = async () => (await client.send({ path: notes.path })).status === 200;
  await vi.waitUntil(served, { timeout: patienceMs });
  client.close();
});
afterAll(() => annex.stop());

const services = [
  'object-storage',
  'core-api',
  'crd-registry',
  'authorization',
  'discovery',
  'front-proxy',
  'controllers',
];

it('whichever service is killed under load: nothing acknowledged is lost, and watches go on without a gap', async () => {
  const config = await loadKubeconfig(annex.kubeconfig);
  const seed = Math.floor(Math.random() * 2 ** 31);
  const loads = await Promise.all([configMaps, notes].map((kind) => Load.start(config, kind, seed, 3)));
  for (const service of services) {
    await Promise.all(loads.map((load) => load.someChanges(30)));
    await annex.restart('SIGKILL', service);
  }
  await Promise.all(loads.map((load) => load.someChanges(30)));
  for (const load of loads) {
    expect(await load.problems(), `seed ${seed}`).toEqual([]);
    expect(load.acknowledged.length).toBeGreaterThan(30 * services.length);
    expect(load.follower.expired).toBe(0);
  }
});
