import { Client, loadKubeconfig } from '@annex/client';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { definitionManifest, definitionVersion, startProcess } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { awaitObject, isGone } from './await-object.ts';
import { patienceMs } from './patience.ts';
import { annexCommand } from '../runners/annex-command.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let annex: Runner;
let api: Client;

const send = <T = KubeObject>(method: string, path: string, body?: JsonObject) =>
  api.json<T>({
    method,
    path,
    ...(body ? { body } : {}),
    ...(method === 'PATCH' ? { headers: { 'content-type': 'application/merge-patch+json' } } : {}),
  });
const path = (plural: string, version = 'v1') => `/apis/example.com/${version}/namespaces/default/${plural}`;
const isServed = async (plural: string, version = 'v1') =>
  (await api.send({ path: `${path(plural, version)}?limit=1` })).status === 200;

const schema = { properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } } };
const versions = (stored: string) =>
  ['v1', 'v2'].map((name) => definitionVersion(name, schema, { storage: name === stored }));
const definition = (plural: string, kind: string) =>
  definitionManifest({ group: 'example.com', kind, plural, versions: versions('v1') });

/** Defines a kind and creates its numbered objects. */
async function fill(plural: string, kind: string, count: number): Promise<void> {
  await send('POST', definitions, definition(plural, kind));
  await vi.waitUntil(() => isServed(plural), { timeout: patienceMs });
  let next = 0;
  const work = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const metadata = { name: `object-${n}` };
      await send('POST', path(plural), { apiVersion: 'example.com/v1', kind, metadata, spec: { n } });
    }
  };
  await Promise.all(Array.from({ length: 32 }, work));
}

beforeAll(async () => {
  annex = await startSingle();
  api = new Client(await loadKubeconfig(annex.kubeconfig));
});
afterAll(async () => {
  api.close();
  await annex.stop();
});

describe('a server that is killed with thousands of objects in its hands', () => {
  it('CRD-018 finishes the deletion of their CRD after the restart', async () => {
    await fill('cans', 'Can', 2000);
    const watch = api.watch<KubeObject>(path('cans'), { resourceVersion: '0' });
    const someGone = (async () => {
      let gone = 0;
      for await (const { type } of watch) if (type === 'DELETED' && ++gone === 100) return;
    })();
    await send('DELETE', `${definitions}/cans.example.com`);
    await someGone;
    await annex.restart('SIGKILL');
    await awaitObject(api, definitions, 'cans.example.com', isGone, 60_000);
    await send('POST', definitions, definition('cans', 'Can'));
    await vi.waitUntil(() => isServed('cans'), { timeout: patienceMs });
    expect((await send<{ items: KubeObject[] }>('GET', path('cans'))).items).toEqual([]);
  });

  it('STO-016 lets a migration continue, and loses nothing', async () => {
    const count = 1000;
    await fill('jars', 'Jar', count);
    await send('PATCH', `${definitions}/jars.example.com`, { spec: { versions: versions('v2') } });
    const watch = api.watch<KubeObject>(path('jars', 'v2'), { resourceVersion: '0' });
    const someWritten = (async () => {
      let written = 0;
      for await (const { type } of watch) if (type === 'MODIFIED' && ++written === 100) return;
    })();
    const args = [annexCommand, 'migrate', 'jars.example.com', '--kubeconfig', annex.kubeconfig];
    await using migration = await startProcess(process.execPath, { args });
    await someWritten;
    await annex.restart('SIGKILL');
    expect([await migration.exited, migration.lines.at(-1)]).toEqual([
      0,
      expect.stringMatching(/^jars\.example\.com in v2: \d+ written/),
    ]);
    const { status } = await send<{ status: JsonObject }>('GET', `${definitions}/jars.example.com`);
    expect(status.storedVersions).toEqual(['v2']);
    await send('PATCH', `${definitions}/jars.example.com`, {
      spec: { versions: versions('v2').filter(({ name }) => name === 'v2') },
    });
    await vi.waitUntil(async () => !(await isServed('jars')), { timeout: patienceMs });
    const { items } = await send<{ items: { spec: { n: number } }[] }>('GET', path('jars', 'v2'));
    expect(items.map(({ spec }) => spec.n).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: count }, (_, n) => n),
    );
  });
});
