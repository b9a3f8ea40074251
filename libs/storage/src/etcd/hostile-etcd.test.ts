import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import * as grpc from '@grpc/grpc-js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Store, WatchBatch } from '../store.ts';
import { codec } from './codec.ts';
import { createEtcdStore } from './create-etcd-store.ts';
import type { MessageDraft } from './messages.ts';
import { serviceDefinition } from './services.ts';
import { maxQueuedWatchBytes, maxRevisionEvents } from './watch.ts';

type Watch = grpc.ServerDuplexStream<unknown, Buffer>;
/** What the server does: the bytes of responses, and the handler of watches. */
interface Behavior {
  range?: () => Buffer;
  txn?: () => Buffer;
  watch?: (stream: Watch) => void;
}

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function storeOn(behavior: Behavior): Promise<Store> {
  const server = new grpc.Server();
  const raw = (service: 'KV' | 'Watch' | 'Maintenance') =>
    Object.fromEntries(
      Object.entries(serviceDefinition(service)).map(([name, method]) => [
        name,
        { ...method, responseSerialize: (bytes: Buffer) => bytes },
      ]),
    ) as grpc.ServiceDefinition;
  const unary =
    (bytes?: () => Buffer) =>
    (_call: unknown, respond: (error: null, bytes: Buffer) => void): void =>
      respond(null, bytes?.() ?? Buffer.alloc(0));
  server.addService(raw('KV'), { Range: unary(behavior.range), Txn: unary(behavior.txn) });
  server.addService(raw('Maintenance'), {
    Status: unary(() => codec('StatusResponse').encode({ version: '3.4.0' })),
  });
  server.addService(raw('Watch'), { Watch: (stream: Watch) => behavior.watch?.(stream) });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const store = await createEtcdStore({ servers: [`http://127.0.0.1:${port}`], timeoutMilliseconds: 5000 });
  cleanUps.push(
    () => server.forceShutdown(),
    () => store.close(),
  );
  return store;
}

const header = { revision: 5 };
const range = (response: MessageDraft<'RangeResponse'>) => () => codec('RangeResponse').encode(response);
const keyValue = (key: string, modRevision = 5, value = Buffer.from('1')) => ({
  key: Buffer.from(key),
  value,
  modRevision,
  createRevision: 1,
  version: 1,
});
const garbage = (): Buffer => Buffer.alloc(5000, 0xfe);

describe('a response of a hostile etcd fails the call:', () => {
  it.each<[what: string, Behavior, call: (store: Store) => Promise<unknown>, message: string]>([
    [
      'one of random bytes',
      { range: garbage },
      (store) => store.list('/a'),
      'Response message parsing error',
    ],
    ['one without a header', { range: range({}) }, (store) => store.list('/a'), 'it has no header'],
    ['a get without a header', { range: range({}) }, (store) => store.get('/a'), 'it has no header'],
    ['a transaction without a header', {}, (store) => store.create('/a', Buffer.of(1)), 'it has no header'],
    [
      'a transaction of random bytes',
      { txn: garbage },
      (store) => store.delete('/a', 3),
      'Response message parsing error',
    ],
    [
      'a list that repeats its page without end',
      { range: range({ header, more: true, count: 2, kvs: [keyValue('/a/b')] }) },
      (store) => store.list('/a/'),
      'the keys are not in their order',
    ],
  ])('%s', async (_what, behavior, call, message) => {
    const store = await storeOn(behavior);
    await expect(call(store)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(message) as string,
    });
  });

  it('bytes that are not HTTP/2', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).write(garbage()));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const store = await createEtcdStore({ servers: [url], timeoutMilliseconds: 1000 });
    cleanUps.push(
      () => server.close(),
      () => store.close(),
    );
    await expect(store.get('/a')).rejects.toMatchObject({ code: 'timedOut' });
  });
});

const watch = (store: Store, fromRevision = 1) =>
  store
    .watch('/a', { fromRevision, signal: new AbortController().signal, progress: true })
    [Symbol.asyncIterator]();
const response = (message: MessageDraft<'WatchResponse'>) =>
  codec('WatchResponse').encode({ header, ...message });
const put = (key: string, modRevision: number) => ({ type: 0, kv: keyValue(key, modRevision) });

describe('a watch of a hostile etcd', () => {
  it.each<[what: string, bytes: () => Buffer, message: string]>([
    ['random bytes', garbage, 'Response message parsing error'],
    ['an event without a key', () => response({ events: [{ type: 0 }] }), 'an event has no key'],
    [
      'events in another order',
      () => response({ events: [put('/a/b', 9), put('/a/c', 8)] }),
      'the events are not in the order of their revisions',
    ],
  ])('fails after %s', async (_what, bytes, message) => {
    const store = await storeOn({ watch: (stream) => void stream.write(bytes()) });
    await expect(watch(store).next()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(message) as string,
    });
  });

  it('fails after a revision of more than maxRevisionEvents', async () => {
    const events = Array.from({ length: 50_000 }, () => put('/a/b', 9));
    const store = await storeOn({
      watch(stream) {
        for (let i = 0; i < 3; i++) stream.write(response({ events, fragment: true }));
      },
    });
    await expect(watch(store).next()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`more than ${maxRevisionEvents} events`) as string,
    });
  });

  it('is paused when maxQueuedWatchBytes wait for the reader', async () => {
    const value = Buffer.alloc(1024 * 1024);
    let sent = 0;
    let isBlocked = false;
    const store = await storeOn({
      watch(stream) {
        const writeMore = () => {
          for (let isOpen = true; isOpen && sent < 1000;) {
            sent += 1;
            isOpen = stream.write(response({ events: [{ type: 0, kv: keyValue('/a/b', sent + 1, value) }] }));
          }
          isBlocked = true;
        };
        stream.on('drain', writeMore);
        writeMore();
      },
    });
    const events = watch(store);
    await events.next();
    let before: number;
    do {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 300));
    } while (sent > before);
    expect(isBlocked).toBe(true);
    expect(sent * value.length).toBeLessThan(6 * maxQueuedWatchBytes);
    for (let i = 0; i < 100; i++) await events.next();
    expect(sent).toBeGreaterThan(before);
  });

  it('that reports progress without end causes one check at a time', async () => {
    let ranges = 0;
    const store = await storeOn({
      range() {
        ranges += 1;
        return codec('RangeResponse').encode({ header, count: ranges });
      },
      watch(stream) {
        for (let i = 0; i < 20_000; i++) stream.write(response({ header: { revision: 10 + i } }));
        stream.end();
      },
    });
    await expect(watch(store).next()).rejects.toMatchObject({ code: 'unavailable' });
    await vi.waitFor(() => expect(ranges).toBeGreaterThan(0));
    expect(ranges).toBeLessThan(2000);
  });
});

it('a revision that etcd divides among several responses is delivered whole', async () => {
  const store = await storeOn({
    watch(stream) {
      stream.write(response({ events: [put('/a/b', 7), put('/a/c', 8)], fragment: true }));
      stream.write(response({ events: [put('/a/d', 8)], fragment: true }));
      stream.write(response({ events: [put('/a/e', 8), put('/a/f', 9)] }));
    },
  });
  const events = watch(store);
  const keys = async () => {
    const next = (await events.next()) as IteratorYieldResult<WatchBatch>;
    return next.value.events.map(({ entry }) => entry.key);
  };
  expect(await keys()).toEqual(['/a/b']);
  expect(await keys()).toEqual(['/a/c', '/a/d', '/a/e', '/a/f']);
});
