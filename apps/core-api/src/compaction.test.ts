import type { KubeObject } from '@annex/machinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveCoreApi, type ServedCoreApi } from './served.fixture.ts';

let server: ServedCoreApi;
beforeAll(async () => {
  server = await serveCoreApi();
});
afterAll(() => server.stop());

const path = '/api/v1/namespaces/default/configmaps';
const create = async (name: string): Promise<number> => {
  const { code, body } = await server.request('POST', path, { metadata: { name } });
  if (code !== 201) throw new Error(JSON.stringify(body));
  return Number(body.metadata.resourceVersion);
};
/** Compacts the store to its current revision. */
const compact = async () => {
  const { store } = server.deps;
  await create(`filler-${await store.currentRevision()}`);
  await store.compact(await store.currentRevision());
};
const namesOf = (list: KubeObject) => (list.items as KubeObject[]).map(({ metadata }) => metadata.name);

describe('after a compaction', () => {
  it('a watch that is up to date continues', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const last = Promise.withResolvers<void>();
    const since = await create('watched-a');
    const watching = (async () => {
      const options = { resourceVersion: String(since), signal: stop.signal };
      for await (const { object } of server.client.watch<KubeObject>(path, options)) {
        const { name = '' } = object.metadata;
        if (name.startsWith('watched-')) seen.push(name);
        if (name === 'watched-c') last.resolve();
      }
    })();
    await create('watched-b');
    await compact();
    await create('watched-c');
    await last.promise;
    stop.abort();
    await watching;
    expect(seen).toEqual(['watched-b', 'watched-c']);
  });

  it('a list at an older version returns 410', async () => {
    const since = await create('listed');
    const exact = `${path}?resourceVersion=${since}&resourceVersionMatch=Exact`;
    await create('later');
    expect(namesOf((await server.request('GET', exact)).body)).not.toContain('later');
    await compact();
    expect((await server.request('GET', exact)).body).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
  });

  it('a list that is read in pages returns 410 with a token for the current rest', async () => {
    for (const name of ['page-a', 'page-b', 'page-c', 'page-d']) await create(name);
    const pages = `${path}?limit=1&continue=`;
    let page = (await server.request('GET', pages)).body;
    const token = () => encodeURIComponent(String((page.metadata as { continue?: string }).continue));
    while (!namesOf(page).includes('page-a')) page = (await server.request('GET', pages + token())).body;
    await server.request('DELETE', `${path}/page-b`);
    await create('page-e');
    await compact();
    const gone = await server.request('GET', pages + token());
    expect(gone.body).toMatchObject({ code: 410, reason: 'Expired' });
    expect(gone.message).toContain('too old to display a consistent list result');
    page = gone.body;
    const rest = await server.request('GET', `${path}?continue=${token()}`);
    expect(namesOf(rest.body).filter((name) => name?.startsWith('page-'))).toEqual([
      'page-c',
      'page-d',
      'page-e',
    ]);
  });
});

describe('a watch at an older revision', () => {
  it('returns 410, also while others are up to date', async () => {
    const since = await create('old');
    // More than a watch cache remembers.
    for (let i = 0; i < 4200; i++) await server.deps.store.create(`${prefix}flood-${i}`, flood(i));
    await compact();
    const behind = server.client.watch<KubeObject>(path, { resourceVersion: String(since) });
    await expect(behind.next()).rejects.toMatchObject({ code: 410, reason: 'Expired' });
    const current = await create('new');
    const upToDate = server.client.watch<KubeObject>(path, { resourceVersion: String(current - 1) });
    expect((await upToDate.next()).value).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'new' } },
    });
    await upToDate.return(undefined);
  });
});

const prefix = '/registry/configmaps/default/';
const flood = (i: number) =>
  Buffer.from(
    JSON.stringify({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name: `flood-${i}`, namespace: 'default', uid: String(i) },
    }),
  );
