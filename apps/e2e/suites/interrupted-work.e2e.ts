import { Client, loadKubeconfig } from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import { definitionManifest } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { awaitObject, isGone } from './await-object.ts';
import { patienceMs } from './patience.ts';

const namespaces = '/api/v1/namespaces';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const widgets = '/apis/work.example.com/v1/namespaces/default/widgets';
const configMaps = (namespace: string) => `${namespaces}/${namespace}/configmaps`;
const crd = definitionManifest({ group: 'work.example.com', kind: 'Widget', schema: {} });

let annex: Runner;
let client: Client;
const json = (method: string, path: string, body?: object) =>
  client.json<KubeObject>({ method, path, ...(body ? { body } : {}) });
const namesIn = async (path: string): Promise<string[]> => {
  const { items } = await client.json<{ items: KubeObject[] }>({ path });
  return items.map(({ metadata }) => metadata.name!);
};

beforeAll(async () => {
  annex = await startSingle({ controllers: '*' });
  client = new Client(await loadKubeconfig(annex.kubeconfig));
});
afterAll(async () => {
  client.close();
  await annex.stop();
});

describe('a server that is killed while it deletes', () => {
  const count = 300;
  const collections = { namespace: configMaps('work'), crd: widgets, collection: configMaps('default') };
  const gone = new Map<string, Set<string>>();
  let left: string[] = [];

  /** Resolves when several objects of a collection are deleted. */
  async function someDeleted(path: string): Promise<void> {
    const names = new Set<string>();
    gone.set(path, names);
    const watch = client.watch<KubeObject>(path, { labelSelector: 'work=yes', resourceVersion: '0' });
    for await (const { type, object } of watch) {
      if (type === 'DELETED') names.add(object.metadata.name!);
      if (names.size === 5) return;
    }
  }

  beforeAll(async () => {
    await json('POST', namespaces, { metadata: { name: 'work' } });
    await json('POST', definitions, crd);
    const served = async () => (await client.send({ path: widgets })).status === 200;
    await vi.waitUntil(served, { timeout: patienceMs });
    for (const path of Object.values(collections)) {
      const type = path === widgets ? { apiVersion: 'work.example.com/v1', kind: 'Widget' } : {};
      const metadata = (i: number) => ({ name: `object-${i}`, labels: { work: 'yes' } });
      const create = (i: number) => json('POST', path, { ...type, metadata: metadata(i) });
      for (let i = 0; i < count; i += 50) {
        await Promise.all(Array.from({ length: 50 }, (_, j) => create(i + j)));
      }
    }
    const watching = Promise.all(Object.values(collections).map(someDeleted));
    const deleting = [
      client.send({ method: 'DELETE', path: `${namespaces}/work` }),
      client.send({ method: 'DELETE', path: `${definitions}/widgets.work.example.com` }),
      client.send({ method: 'DELETE', path: `${collections.collection}?labelSelector=work%3Dyes` }),
    ];
    // The connections break when the server is killed.
    const settled = Promise.allSettled(deleting);
    await watching;
    await annex.restart('SIGKILL');
    await settled;
    left = await namesIn(`${collections.collection}?labelSelector=work%3Dyes`);
  });

  it('finishes the deletion of a namespace after the restart', async () => {
    await awaitObject(client, namespaces, 'work', isGone);
    expect(await namesIn(collections.namespace)).toEqual([]);
  });

  it('finishes the deletion of a CustomResourceDefinition and its objects after the restart', async () => {
    await awaitObject(client, definitions, 'widgets.work.example.com', isGone);
    await vi.waitUntil(async () => (await client.send({ path: widgets })).status === 404, {
      timeout: patienceMs,
    });
    await json('POST', definitions, crd);
    await vi.waitUntil(async () => (await client.send({ path: widgets })).status === 200, {
      timeout: patienceMs,
    });
    expect(await namesIn(widgets)).toEqual([]);
  });

  it('keeps acknowledged deletions; the remaining objects are intact, and deleted by the next attempt', async () => {
    const seen = gone.get(collections.collection)!;
    expect(left.filter((name) => seen.has(name))).toEqual([]);
    expect(left.length).toBeLessThanOrEqual(count - seen.size);
    const { items } = await client.json<{ items: KubeObject[] }>({
      method: 'DELETE',
      path: `${collections.collection}?labelSelector=work%3Dyes`,
    });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(left);
    expect(await namesIn(`${collections.collection}?labelSelector=work%3Dyes`)).toEqual([]);
  });
});

describe('a server that is killed in a storm of applies', () => {
  const managers = Array.from({ length: 6 }, (_, i) => `manager-${i}`);
  const path = `${configMaps('default')}/shared`;
  const headers = { 'content-type': 'application/apply-patch+yaml' };

  /** Applies increasing numbers until the server ends. Resolves to the last acknowledged one. */
  async function storm(manager: string, from: number, onApplied: () => void): Promise<number> {
    for (let value = from + 1; ; value++) {
      const body = {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'shared' },
        data: { [manager]: String(value) },
      };
      const request = { method: 'PATCH', path: `${path}?fieldManager=${manager}`, headers, body };
      const response = await client.send(request).catch(() => undefined);
      if (response === undefined) return value - 1;
      if (response.status > 201) throw new Error(`${response.status} ${response.body.toString()}`);
      onApplied();
    }
  }

  it('has every acknowledged value, or the next one, with its manager', async () => {
    const applied = new Map(managers.map((manager) => [manager, 0]));
    for (let round = 0; round < 2; round++) {
      const { promise: enough, resolve } = Promise.withResolvers<void>();
      let count = 0;
      const onApplied = () => void (++count === 100 && resolve());
      const storms = managers.map((manager) => storm(manager, applied.get(manager)!, onApplied));
      await Promise.race([enough, Promise.all(storms)]);
      await annex.restart('SIGKILL');
      const acknowledged = await Promise.all(storms);
      const { data, metadata } = await client.json<KubeObject & { data: Record<string, string> }>({ path });
      const found = managers.map((manager) => Number(data[manager]));
      const next = found.map((value, i) => value - acknowledged[i]!);
      expect(next.filter((more) => more !== 0 && more !== 1)).toEqual([]);
      const owners = metadata.managedFields!.map(({ manager, operation, fieldsV1 }) => [
        manager,
        operation,
        fieldsV1,
      ]);
      const own = (manager: string) => [manager, 'Apply', { 'f:data': { [`f:${manager}`]: {} } }];
      expect(owners.toSorted()).toEqual(managers.map(own));
      managers.forEach((manager, i) => applied.set(manager, found[i]!));
    }
  });
});
