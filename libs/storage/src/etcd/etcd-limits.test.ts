import { connect, type ClientHttp2Session } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../memory-store.ts';
import type { Store } from '../store.ts';
import { EtcdClient } from './client.ts';
import { codec } from './codec.ts';
import { keyBytes } from './keys.ts';
import { LeaseTable } from './lease-table.ts';
import {
  maxLeases,
  maxLeaseSeconds,
  maxEtcdRequestBytes,
  maxPendingRequests,
  maxStreamsPerConnection,
  maxTxnOperations,
  maxEtcdWatches,
} from './limits.ts';
import type { MessageDraft, MessageName } from './messages.ts';
import { type RunningEtcdServer, startEtcdServer } from './start-etcd-server.ts';

let server: RunningEtcdServer;
let client: EtcdClient;
let store: Store;

beforeAll(async () => {
  store = createMemoryStore();
  server = await startEtcdServer(store, {
    listen: ['http://127.0.0.1:0'],
    maxUnreadResponseBytes: 4_000_000,
  });
  client = new EtcdClient({ servers: server.urls });
});
afterAll(async () => {
  client.close();
  await server.stop();
  await store.close();
});

interface Outcome {
  /** `grpc-status`, see https://grpc.github.io/grpc/core/md_doc_statuscodes.html. */
  status: number;
  message: string;
}

const frame = (payload: Uint8Array, compressed = 0): Buffer => {
  const header = Buffer.alloc(5);
  header[0] = compressed;
  header.writeUInt32BE(payload.length, 1);
  return Buffer.concat([header, payload]);
};

/** Sends bytes as the messages of a call, which no client library allows. */
async function call(path: string, body: Uint8Array, headers: Record<string, string> = {}): Promise<Outcome> {
  const session = connect(server.urls[0]!);
  try {
    return await callOn(session, path, body, headers);
  } finally {
    session.destroy();
  }
}

const headersOf = (path: string) => ({
  ':method': 'POST',
  ':path': `/etcdserverpb.${path}`,
  'content-type': 'application/grpc',
  te: 'trailers',
});

function callOn(
  session: ClientHttp2Session,
  path: string,
  body: Uint8Array,
  more: Record<string, string>,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ...headersOf(path), ...more });
    const settle = (trailers: Record<string, unknown>) => {
      if (trailers['grpc-status'] === undefined) return;
      const message = decodeURIComponent(String(trailers['grpc-message'] ?? ''));
      resolve({ status: Number(trailers['grpc-status']), message });
    };
    stream.on('response', settle).on('trailers', settle).on('error', reject).resume();
    stream.end(body);
  });
}

const encoded = <N extends MessageName>(name: N, message: MessageDraft<N>) => codec(name).encode(message);
const compare = { target: 2, key: keyBytes('/a'), modRevision: 0 };
const operation = { requestPut: { key: keyBytes('/a'), value: Buffer.from('x') } };
const repeat = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

/** A varint of protobuf. */
function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
}

/**
 * A TxnRequest whose success is a TxnRequest, and so on: field 2 is `success`, its field 4 is `request_txn`.
 */
function nestedTxn(depth: number): Buffer {
  const parts: Buffer[] = [];
  let length = 0;
  for (let i = 0; i < depth; i++) {
    const inner = Buffer.concat([Buffer.of(0x22), varint(length)]);
    length += inner.length;
    const outer = Buffer.concat([Buffer.of(0x12), varint(length)]);
    length += outer.length;
    parts.push(inner, outer);
  }
  return Buffer.concat(parts.reverse());
}

const invalidArgument = 3;
const resourceExhausted = 8;
const unimplemented = 12;
const internal = 13;

describe('a hostile message is refused', () => {
  const tooMany = { status: invalidArgument, message: 'etcdserver: too many operations in txn request' };
  const count = maxTxnOperations + 1;

  it.each<[what: string, path: string, body: () => Buffer, outcome: Partial<Outcome>]>([
    [
      'with more compares than etcd accepts',
      'KV/Txn',
      () => frame(encoded('TxnRequest', { compare: repeat(count, compare), success: [operation] })),
      tooMany,
    ],
    [
      'with more writes than etcd accepts',
      'KV/Txn',
      () => frame(encoded('TxnRequest', { compare: [compare], success: repeat(count, operation) })),
      tooMany,
    ],
    [
      'with more reads than etcd accepts',
      'KV/Txn',
      () =>
        frame(
          encoded('TxnRequest', { compare: [compare], success: [operation], failure: repeat(count, {}) }),
        ),
      tooMany,
    ],
    [
      'with transactions 200,000 deep',
      'KV/Txn',
      () => frame(Buffer.concat([encoded('TxnRequest', { compare: [compare] }), nestedTxn(200_000)])),
      { status: unimplemented },
    ],
    [
      'longer than etcd accepts',
      'KV/Put',
      () => frame(Buffer.alloc(maxEtcdRequestBytes + 1)),
      { status: resourceExhausted },
    ],
    [
      'that announces a longer size than etcd accepts',
      'KV/Put',
      () => Buffer.of(0, 0xff, 0xff, 0xff, 0xff),
      { status: resourceExhausted },
    ],
    [
      'with a field longer than the message',
      'KV/Put',
      () => frame(Buffer.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f)),
      { status: internal },
    ],
    ['of random bytes', 'KV/Range', () => frame(Buffer.alloc(5000, 0xfe)), { status: internal }],
    [
      'with a value longer than etcd accepts',
      'KV/Put',
      () => frame(encoded('PutRequest', { key: keyBytes('/a'), value: Buffer.alloc(1.5 * 1024 * 1024 + 1) })),
      { status: invalidArgument, message: 'etcdserver: request is too large' },
    ],
  ])('%s', async (_what, path, body, outcome) => {
    expect(await call(path, body())).toMatchObject(outcome);
    expect((await client.call('KV', 'Range', { key: keyBytes('/a') }, false)).count).toBe(0);
  });

  it('that decompresses to a thousand times its size', async () => {
    // Members of a gzip file may follow each other: one is compressed, not 200 MiB.
    const bomb = Buffer.concat(repeat(200, gzipSync(Buffer.alloc(1024 * 1024))));
    expect(await call('KV/Put', frame(bomb, 1), { 'grpc-encoding': 'gzip' })).toEqual({
      status: resourceExhausted,
      message: `Received message that decompresses to a size larger than ${maxEtcdRequestBytes}`,
    });
  });
});

describe('a client that does not read', () => {
  it('cannot make the server hold list after list', async () => {
    for (let i = 0; i < 5; i++) await store.create(`/large/${i}`, Buffer.alloc(1_000_000));
    const list = frame(encoded('RangeRequest', { key: keyBytes('/large/'), rangeEnd: keyBytes('/large0') }));
    const session = connect(server.urls[0]!, { settings: { initialWindowSize: 1000 } });
    const unread = session.request(headersOf('KV/Range')).on('error', () => undefined);
    unread.end(list);
    await new Promise((resolve) => unread.once('response', resolve));
    const refused = { status: resourceExhausted, message: 'etcdserver: too many requests' };
    await expect.poll(() => call('KV/Range', list)).toEqual(refused);
    const other = await client.call('KV', 'Put', { key: keyBytes('/other'), value: Buffer.from('x') }, false);
    expect(other.header!.revision).toBeGreaterThan(1);
    session.destroy();
    await expect.poll(() => call('KV/Range', list)).toEqual({ status: 0, message: 'OK' });
  });

  it('is not read from either, on a stream of watches', async () => {
    const session = connect(server.urls[0]!, { settings: { initialWindowSize: 1000 } });
    const stream = session.request(headersOf('Watch/Watch')).on('error', () => undefined);
    const request = frame(encoded('WatchRequest', { createRequest: { key: keyBytes('/a'), watchId: 7 } }));
    let isTaken = false;
    // Far more than HTTP/2 windows and stream buffers can store.
    stream.write(Buffer.concat(repeat(200_000, request)), () => (isTaken = true));
    await new Promise((resolve) => stream.once('response', resolve));
    for (let i = 0; i < 300; i++) await client.call('KV', 'Range', { key: keyBytes('/a') }, false);
    expect(isTaken).toBe(false);
    session.destroy();
  });
});

describe('a flood', () => {
  it(
    'of watches on one stream is refused beyond a limit; the others go on',
    { timeout: 60_000 },
    async () => {
      const stream = client.watch();
      const created = new Promise<string>((resolve) => {
        stream.on('data', ({ canceled, cancelReason }) => canceled && resolve(cancelReason));
      });
      for (let i = 0; i <= maxEtcdWatches; i++) stream.write({ createRequest: { key: keyBytes(`/w/${i}`) } });
      expect(await created).toBe('etcdserver: too many watches');
      const event = new Promise((resolve) => {
        stream.on('data', ({ events }) => events.length > 0 && resolve(String(events[0]!.kv!.key)));
      });
      await store.create('/w/5', Buffer.from('x'));
      expect(await event).toBe('/w/5');
      stream.on('error', () => undefined).cancel();
    },
  );

  it('of leases is refused beyond a limit, until they have expired', () => {
    let seconds = 1000;
    const table = new LeaseTable(store, { now: () => seconds * 1000, monotonic: () => seconds * 1000 });
    for (let i = 0; i < maxLeases; i++) table.grant(60, 0);
    expect(() => table.grant(60, 0)).toThrow('etcdserver: too many requests');
    seconds += 61;
    expect(table.grant(60, 0).ttl).toBe(60);
  });
});

it('a lease longer than maxLeaseSeconds is refused', () => {
  const table = new LeaseTable(store, { now: () => 0, monotonic: () => 0 });
  expect(table.grant(maxLeaseSeconds, 0).ttl).toBe(9_000_000_000);
  expect(() => table.grant(maxLeaseSeconds + 1, 0)).toThrow('etcdserver: too large lease TTL');
});

describe('requests that the store does not complete', () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let held = 0;
  let slow: RunningEtcdServer;
  beforeAll(async () => {
    const list: Store['list'] = async (...request) => {
      held++;
      await released;
      return await store.list(...request);
    };
    const waiting = new Proxy(store, {
      get: (target, name) => (name === 'list' ? list : Reflect.get(target, name)),
    });
    slow = await startEtcdServer(waiting as Store, { listen: ['http://127.0.0.1:0'] });
  });
  afterAll(() => slow.stop());

  const range = frame(encoded('RangeRequest', { key: keyBytes('/x/'), rangeEnd: keyBytes('/x0') }));
  const flood = (session: ClientHttp2Session, count: number) =>
    Array.from({ length: count }, () => callOn(session, 'KV/Range', range, {}));

  it(
    'are maxStreamsPerConnection of one connection and maxPendingRequests of all',
    { timeout: 60_000 },
    async () => {
      const connections = maxPendingRequests / maxStreamsPerConnection;
      const sessions = Array.from({ length: connections + 1 }, () => connect(slow.urls[0]!));
      const [first, ...others] = sessions as [ClientHttp2Session, ...ClientHttp2Session[]];
      const last = others.pop()!;
      const responses = flood(first, maxStreamsPerConnection + 1);
      await expect.poll(() => held, { timeout: 30_000 }).toBe(maxStreamsPerConnection);
      expect(first.remoteSettings.maxConcurrentStreams).toBe(maxStreamsPerConnection);
      responses.push(...others.flatMap((session) => flood(session, maxStreamsPerConnection)));
      await expect.poll(() => held, { timeout: 30_000 }).toBe(maxPendingRequests);
      const refused = { status: resourceExhausted, message: 'etcdserver: too many requests' };
      expect(await flood(last, 1)[0]).toEqual(refused);
      release();
      const outcomes = await Promise.all(responses);
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set([0]));
      for (const session of sessions) session.destroy();
    },
  );
});
