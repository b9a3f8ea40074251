import type { KubeObject } from '@annex/machinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiResource } from '../discovery/resource-discovery.ts';
import { type Served, serveKinds } from '../served.fixture.ts';
import { deleteContent } from './content.ts';

const configMaps: ApiResource = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
  verbs: new Set(['list', 'delete', 'deletecollection']),
};
const path = '/api/v1/namespaces/full/configmaps';

let served: Served;
beforeEach(async () => {
  served = await serveKinds();
});
afterEach(() => served.stop());

const create = async (names: string, finalizers: readonly string[] = []) => {
  for (const name of names) {
    await served.api.json({ method: 'POST', path, body: { metadata: { name, finalizers } } });
  }
};
const names = async () => {
  const { items } = await served.api.json<{ items: { metadata: { name: string } }[] }>({ path });
  return items.map(({ metadata }) => metadata.name).join('');
};
const finalizers = async (name: string) =>
  (await served.api.json<KubeObject>({ path: `${path}/${name}` })).metadata.finalizers;
/** Deletes the content in requests for three objects; resolves to the number of remaining objects, and to the deletions. */
const empty = async () => {
  const begin = served.requests.length;
  const { count } = await deleteContent(served.api, configMaps, {
    namespace: 'full',
    sinceMs: 0,
    atOnce: 3,
  });
  const deletions = served.requests.slice(begin).filter((request) => request.startsWith('DELETE'));
  return [count, deletions.map((request) => (request.includes('continue=') ? 'next' : 'first'))];
};

describe('the objects of a namespace', () => {
  it('are deleted in parts, each of which is the first one', async () => {
    await create('abcdefgh');
    expect(await empty()).toEqual([0, ['first', 'first', 'first']]);
    expect(await names()).toBe('');
  });

  it('are deleted in parts that follow each other if finalizers keep the first ones', async () => {
    await create('abcd', ['ex.com/hold']);
    await create('efgh');
    expect(await empty()).toEqual([4, ['first', 'first', 'next', 'next']]);
    expect(await names()).toBe('abcd');
  });

  it('are deleted again only if that can change them', async () => {
    await create('abcd', ['ex.com/hold']);
    expect(await empty()).toEqual([4, ['first', 'first', 'next']]);
    expect(await empty()).toEqual([4, []]);
    await create('e');
    expect(await empty()).toEqual([4, ['first', 'first', 'next']]);
  });

  it('do not wait for their dependents', async () => {
    await create('a', ['ex.com/hold']);
    const body = { propagationPolicy: 'Foreground' };
    await served.api.json({ method: 'DELETE', path: `${path}/a`, body });
    expect(await finalizers('a')).toEqual(['ex.com/hold', 'foregroundDeletion']);
    expect(await empty()).toEqual([1, ['first']]);
    expect(await finalizers('a')).toEqual(['ex.com/hold']);
  });
});
