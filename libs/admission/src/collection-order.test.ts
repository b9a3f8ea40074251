import { setImmediate } from 'node:timers/promises';
import { memoryDeps, send, serve } from '@annex/app-testkit';
import { builtinKinds, KindRegistry, registryDiscovery, type RequestContext } from '@annex/kinds';
import type { KubeObject } from '@annex/machinery';
import { builtinDocuments } from '@annex/openapi';
import { type AdmissionPlugin, createResourceApp, type ServerDeps } from '@annex/server';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

const path = '/api/v1/namespaces/ns/configmaps';
const names = Array.from({ length: 40 }, (_, i) => `c-${String(i).padStart(2, '0')}`);

type Store = ServerDeps['store'];

/** A store of other processes: its revision takes a call, and later calls are faster. */
function sharedStore(): Store {
  const { store } = memoryDeps();
  let calls = 0;
  return new Proxy(store, {
    get(target, name: keyof Store) {
      if (name === 'revision') return undefined;
      if (name === 'currentRevision')
        return async () => {
          for (let turns = 20 - (calls++ % 20); turns > 0; turns--) await setImmediate();
          return await target.currentRevision();
        };
      const member = target[name];
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

const opened = new AsyncDisposableStack();
const admitted: string[] = [];
/** What the first admission of a deletion waits for. */
let hold: (() => Promise<void>) | undefined;
/** The request that is handled, and the end of its handling. */
let handled: { request: RequestContext; end: Promise<void> };
let client: ReturnType<Awaited<ReturnType<typeof serve>>['connect']>;

beforeAll(async () => {
  const deps = memoryDeps({ store: sharedStore() });
  opened.defer(() => deps.store.close());
  opened.defer(() => deps.feed.close());
  const kinds = new KindRegistry();
  for (const kind of builtinKinds((group) => group === '')) kinds.add(kind);
  const plugin: AdmissionPlugin = {
    name: 'recorder',
    async validate({ operation, oldObject }) {
      if (operation !== 'DELETE') return;
      if (admitted.length === 0) await hold?.();
      // As a webhook that is slower for some objects.
      for (let turns = admitted.length % 3; turns > 0; turns--) await setImmediate();
      admitted.push(oldObject?.metadata.name ?? '');
    },
  };
  const documents = builtinDocuments(kinds, () => true);
  const discovery = registryDiscovery(kinds, documents);
  const app = createResourceApp({ name: 'kinds', deps, kinds, discovery, admission: [plugin] });
  await app.start();
  opened.defer(() => app.stop());
  const handle = async (request: RequestContext) => {
    handled = { request, end: Promise.resolve(app.handle(request)) };
    await handled.end;
  };
  const served = await serve(deps, { handle });
  opened.defer(() => served.stop());
  client = served.connect();
});
beforeEach(async () => {
  for (const name of names) await send(client, 'POST', path, { metadata: { name } });
  admitted.length = 0;
});
afterAll(() => opened.disposeAsync());

it('objects of a collection are admitted in their order, whichever are read first', async () => {
  expect((await send(client, 'DELETE', path)).code).toBe(200);
  expect(admitted).toEqual(names);
  expect((await send(client, 'GET', path)).body).toMatchObject({ items: [] });
});

it('no further objects of a collection are deleted when the client is gone', async () => {
  const leaving = new AbortController();
  hold = async () => {
    const { res } = handled.request;
    const closed = new Promise<void>((resolve) => res.once('close', resolve));
    leaving.abort();
    await closed;
  };
  await expect(client.send({ method: 'DELETE', path, signal: leaving.signal })).rejects.toThrow('aborted');
  await handled.end;
  const { items } = (await send(client, 'GET', path)).body as unknown as { items: KubeObject[] };
  // So many deletions had begun.
  expect(items.map(({ metadata }) => metadata.name)).toEqual(names.slice(16));
});
