import { createTestCA, freePorts, requireTools, tempFolder } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFeed } from '../feed/feed.ts';
import { createMemoryStore } from '../memory-store.ts';
import { openLmdbStore } from '../lmdb/open-lmdb-store.ts';
import { storeContract } from '../store.contract.ts';
import type { Store } from '../store.ts';
import { maxEtcdMessageBytes } from './client.ts';
import { createEtcdStore } from './create-etcd-store.ts';
import { type RealEtcd, startRealEtcd } from './real-etcd.fixture.ts';
import { type RunningEtcdServer, startEtcdServer } from './start-etcd-server.ts';

const ca = createTestCA('etcd-ca');
const serving = ca.issue({ commonName: 'etcd', ipAddresses: ['127.0.0.1'] });
const client = ca.issue({ commonName: 'apiserver-etcd-client' });
const tls = { ca: ca.certificate, cert: client.certificate, key: client.key };

const startOver = (store: Store): Promise<RunningEtcdServer> =>
  startEtcdServer(store, {
    listen: ['https://127.0.0.1:0'],
    cert: serving.certificate,
    key: serving.key,
    clientCa: ca.certificate,
  });

describe('over our own server with mutual TLS', () => {
  let server: RunningEtcdServer;
  const served = createMemoryStore();
  beforeAll(async () => {
    server = await startOver(served);
  });
  afterAll(async () => {
    await server.stop();
    await served.close();
  });

  storeContract('etcd client, our server on the memory store', {
    open: () => createEtcdStore({ servers: server.urls, ...tls }),
  });

  test('a list of large values is read in pages of few entries', async () => {
    const store = await createEtcdStore({ servers: server.urls, ...tls });
    const value = Buffer.alloc(1024 * 1024);
    const count = (2 * maxEtcdMessageBytes) / value.length;
    for (let i = 0; i < count; i++) await store.create(`/large/${i}`, value);
    const { entries, count: counted, more } = await store.list('/large/');
    expect([entries.length, counted, more]).toEqual([count, count, false]);
    expect((await store.list('/large/', { limit: count - 1 })).entries).toHaveLength(count - 1);
    await store.close();
  });

  test('a client without a certificate is refused', async () => {
    const store = await createEtcdStore({ servers: server.urls, ca: tls.ca, timeoutMilliseconds: 500 });
    await expect(store.get('/a')).rejects.toMatchObject({ code: 'timedOut' });
    await store.close();
  });

  test("a client can trust the server's own certificate", async () => {
    const store = await createEtcdStore({ servers: server.urls, ...tls, ca: serving.certificate });
    expect((await store.get('/none')).entry).toBeUndefined();
    await store.close();
  });

  test('a client that trusts another CA is refused', async () => {
    const ca = createTestCA('another').certificate;
    const store = await createEtcdStore({ servers: server.urls, ...tls, ca, timeoutMilliseconds: 500 });
    await expect(store.get('/a')).rejects.toMatchObject({ code: 'timedOut' });
    await store.close();
  });
});

describe('over our own server on LMDB', () => {
  const folder = tempFolder();
  let server: RunningEtcdServer;
  let served: Store;
  beforeAll(async () => {
    served = await openLmdbStore({ dir: folder.path });
    server = await startOver(served);
  });
  afterAll(async () => {
    await server.stop();
    await served.close();
    folder[Symbol.dispose]();
  });

  storeContract('etcd client, our server on LMDB', {
    open: () => createEtcdStore({ servers: server.urls, ...tls }),
    unsupported: { 'a store with batches creates all keys or none': 'LMDB has no transactions of many keys' },
  });
});

describe.runIf(requireTools('etcd client, real etcd', 'etcd'))('over real etcd', () => {
  let etcd: RealEtcd;
  let servers: string[];
  beforeAll(async () => {
    etcd = await startRealEtcd();
    servers = [etcd.url];
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

  storeContract('etcd client, real etcd', { open: () => createEtcdStore({ servers }) });

  test('a feed shows writes of others and moves on with writes elsewhere', async () => {
    const store = await createEtcdStore({ servers });
    const other = await createEtcdStore({ servers });
    const feed = createFeed(store);
    const cache = feed.objects('/registry/pods/');
    await cache.waitFor();
    const created = await other.create('/registry/pods/a/one', Buffer.from('{"metadata":{"name":"one"}}'));
    await cache.waitFor();
    expect(cache.list('/registry/pods/').entries.map((e) => e.modRevision)).toEqual([created]);
    const elsewhere = await other.create('/elsewhere/a', Buffer.from('x'));
    await cache.waitFor();
    expect(cache.revision).toBe(elsewhere);
    await feed.close();
    await Promise.all([store.close(), other.close()]);
  });
});

describe('failing over', () => {
  test('a server that is away is passed over, and its return is noticed', async () => {
    const served = createMemoryStore();
    const [away = 0] = await freePorts(1);
    const present = await startOver(served);
    const missing = `https://127.0.0.1:${away}`;
    const store = await createEtcdStore({ servers: [missing, ...present.urls], ...tls });
    const revision = await store.create('/a', Buffer.from('x'));
    expect((await store.get('/a')).entry?.modRevision).toBe(revision);
    await present.stop();
    const back = await startEtcdServer(served, {
      listen: [missing],
      cert: serving.certificate,
      key: serving.key,
      clientCa: ca.certificate,
    });
    expect((await store.get('/a')).entry?.modRevision).toBe(revision);
    await back.stop();
    await store.close();
    await served.close();
  });

  test('a feed continues after an outage of the server', async () => {
    const served = createMemoryStore();
    const first = await startOver(served);
    const store = await createEtcdStore({ servers: first.urls, ...tls });
    const feed = createFeed(store);
    const cache = feed.objects('/registry/pods/');
    await cache.waitFor();
    await first.stop();
    const revision = await served.create('/registry/pods/a/one', Buffer.from('{"metadata":{"name":"one"}}'));
    const second = await startEtcdServer(served, {
      listen: first.urls,
      cert: serving.certificate,
      key: serving.key,
      clientCa: ca.certificate,
    });
    await cache.waitFor(revision);
    expect(cache.get('/registry/pods/a/one')?.modRevision).toBe(revision);
    await feed.close();
    await store.close();
    await second.stop();
    await served.close();
  });
});

test('a store learns of compactions by the other stores of its cluster', async () => {
  const served = createMemoryStore();
  const server = await startOver(served);
  const options = { servers: server.urls, ...tls };
  const compacting = await createEtcdStore({ ...options, compactionMilliseconds: 20 });
  const other = await createEtcdStore({
    ...options,
    compactionMilliseconds: 0,
    compactionRecordMilliseconds: 20,
  });
  expect(other.compacted).toBe(0);
  const created = await compacting.create('/a', Buffer.from('x'));
  await expect.poll(() => other.compacted).toBeGreaterThanOrEqual(created);
  await expect.poll(() => compacting.compacted).toBeGreaterThanOrEqual(created);
  for (const store of [compacting, other]) await store.close();
  await server.stop();
  await served.close();
});

test('one of all the stores on a cluster compacts its history', async () => {
  const served = createMemoryStore();
  const server = await startOver(served);
  const options = { servers: server.urls, ...tls, compactionMilliseconds: 20 };
  const stores = await Promise.all([createEtcdStore(options), createEtcdStore(options)]);
  const created = await stores[0]!.create('/a', Buffer.from('x'));
  const oldest = () =>
    served.get('/a', { revision: created }).then(
      () => 'readable',
      (e: { code: string }) => e.code,
    );
  await expect.poll(oldest).toBe('compacted');
  expect((await stores[1]!.get('/a')).entry?.modRevision).toBe(created);
  for (const store of stores) await store.close();
  await server.stop();
  await served.close();
});
