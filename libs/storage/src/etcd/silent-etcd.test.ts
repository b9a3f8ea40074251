import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFeed } from '../feed/feed.ts';
import { createMemoryStore } from '../memory-store.ts';
import { createEtcdStore } from './create-etcd-store.ts';
import { type RunningEtcdServer, startEtcdServer } from './start-etcd-server.ts';
import { watchSilenceTimeoutMs } from './watch.ts';

/** Accepts connections and never responds, as a member of etcd that is stopped by SIGSTOP. */
const silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined)));
const sockets = new Set<Socket>();
const memory = createMemoryStore();
let server: RunningEtcdServer;
/** The URLs of the silent member, and of one that responds. */
let servers: string[];
beforeAll(async () => {
  server = await startEtcdServer(memory, { listen: ['http://127.0.0.1:0'] });
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  servers = [`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, ...server.urls];
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  silent.close();
  await server.stop();
  await memory.close();
});

it('a read that one member does not respond to is repeated on another, and later writes go there', async () => {
  const store = await createEtcdStore({ servers, timeoutMilliseconds: 3000 });
  expect((await store.get('/none')).entry).toBeUndefined();
  const revision = await store.create('/registry/things/a', Buffer.from('{}'));
  expect(await store.currentRevision()).toBe(revision);
  await store.close();
});

it('a write that no member responds to times out', async () => {
  const store = await createEtcdStore({ servers: servers.slice(0, 1), timeoutMilliseconds: 300 });
  await expect(store.create('/a', Buffer.from('x'))).rejects.toMatchObject({ code: 'timedOut' });
  await store.close();
});

it(
  'a watch that its member does not respond to is opened again on another',
  { timeout: watchSilenceTimeoutMs * 4 },
  async () => {
    const store = await createEtcdStore({ servers, timeoutMilliseconds: 900 });
    const feed = createFeed(store, { startMilliseconds: watchSilenceTimeoutMs * 3 });
    const stop = new AbortController();
    const { revision } = await memory.get('/none');
    // The watch goes to the silent member: no call has found out yet.
    const watching = store.watch('/registry/', {
      fromRevision: revision,
      signal: stop.signal,
      progress: true,
    });
    const first = watching[Symbol.asyncIterator]().next();
    await store.currentRevision();
    await memory.create('/registry/things/watched', Buffer.from('{}'));
    await store.currentRevision();
    await expect(first).rejects.toMatchObject({ code: 'unavailable' });
    await feed.start();
    expect(feed.revision).toBe(await store.currentRevision());
    stop.abort();
    await feed.close();
    await store.close();
  },
);
