import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryStore } from '../memory-store.ts';
import type { Store } from '../store.ts';
import { EtcdClient, type WatchStream } from './client.ts';
import { keyBytes, keyText, prefixEnd } from './keys.ts';
import type { Message, MessageDraft } from './messages.ts';
import { type RunningEtcdServer, startEtcdServer } from './start-etcd-server.ts';

let server: RunningEtcdServer;
let client: EtcdClient;
let store: Store;
let folders = 0;
let at: string;

beforeAll(async () => {
  store = createMemoryStore();
  server = await startEtcdServer(store, { listen: ['http://127.0.0.1:0'], size: () => 4096 });
  client = new EtcdClient({ servers: server.urls });
});
afterAll(async () => {
  client.close();
  await server.stop();
  await store.close();
});
beforeEach(() => {
  at = `/${++folders}/`;
});

const key = (name: string) => keyBytes(at + name);
const names = ({ kvs }: Message<'RangeResponse'>) => kvs.map((kv) => keyText(kv.key).slice(at.length));
const range = (request: MessageDraft<'RangeRequest'>) => client.call('KV', 'Range', request, false);
const txn = (request: MessageDraft<'TxnRequest'>) => client.call('KV', 'Txn', request, false);
const put = (name: string, value: string) =>
  client.call('KV', 'Put', { key: key(name), value: Buffer.from(value) }, false);

describe('Range', () => {
  beforeEach(async () => {
    for (const name of ['b', 'a', 'c', 'd/e', 'd']) await put(name, `${name}-value`);
    await put('a', 'changed');
  });
  const all = () => ({ key: keyBytes(at), rangeEnd: prefixEnd(keyBytes(at)) });

  const cases: [name: string, request: () => MessageDraft<'RangeRequest'>, names: string[], count: number][] =
    [
      ['one key', () => ({ key: key('a') }), ['a'], 1],
      ['no key', () => ({ key: key('z') }), [], 0],
      ['a prefix, in order', all, ['a', 'b', 'c', 'd', 'd/e'], 5],
      ['a prefix with a limit', () => ({ ...all(), limit: 2 }), ['a', 'b'], 5],
      ['from a key on', () => ({ ...all(), key: key('c') }), ['c', 'd', 'd/e'], 3],
      ['between two keys', () => ({ key: key('b'), rangeEnd: key('d') }), ['b', 'c'], 2],
      ['the count only', () => ({ ...all(), countOnly: true }), [], 5],
      ['in descending order', () => ({ ...all(), sortOrder: 2 }), ['d/e', 'd', 'c', 'b', 'a'], 5],
      ['newest first', () => ({ ...all(), sortOrder: 2, sortTarget: 3, limit: 2 }), ['a', 'd'], 5],
    ];
  test.each(cases)('%s', async (_name, request, expected, count) => {
    const response = await range(request());
    expect(names(response)).toEqual(expected);
    expect(response.count).toBe(count);
  });

  test('long lists, in a transaction too', async () => {
    const expected = Array.from({ length: 120 }, (_, i) => `long/${String(i).padStart(3, '0')}`);
    for (const name of expected) await put(name, name);
    const long = { key: key('long/'), rangeEnd: prefixEnd(key('long/')) };
    expect(names(await range(long))).toEqual(expected);
    expect(names(await range({ ...long, sortOrder: 2, sortTarget: 4 }))).toEqual(expected.toReversed());
    const { responses } = await txn({
      compare: [{ key: key('absent'), target: 2, modRevision: 1 }],
      success: [{ requestPut: { key: key('absent'), value: Buffer.from('x') } }],
      failure: [{ requestRange: { ...long, limit: 100 } }],
    });
    const found = responses[0]!.responseRange!;
    expect(names(found)).toEqual(expected.slice(0, 100));
    expect([found.more, found.count]).toEqual([true, 120]);
  });

  test('keys only, with version and revisions', async () => {
    const { kvs, header } = await range({ key: key('a'), keysOnly: true });
    expect(kvs[0]).toMatchObject({
      version: 2,
      modRevision: header!.revision,
      createRevision: header!.revision - 4,
    });
    expect(kvs[0]!.value).toHaveLength(0);
  });

  test('at a revision, with the present in the header', async () => {
    const present = await store.currentRevision();
    const response = await range({ ...all(), revision: present - 4 });
    expect(names(response)).toEqual(['a', 'b']);
    expect(response.header!.revision).toBe(present);
  });

  test('newer than a revision', async () => {
    const minModRevision = (await store.currentRevision()) - 1;
    expect(names(await range({ ...all(), minModRevision }))).toEqual(['a', 'd']);
  });
});

describe('Txn', () => {
  const put = (name: string, value: string, more = {}) => ({
    requestPut: { key: key(name), value: Buffer.from(value), ...more },
  });
  const get = (name: string) => ({ requestRange: { key: key(name) } });
  const [version, , mod, value] = [0, 1, 2, 3];

  test('create, as kube-apiserver does it', async () => {
    const request = {
      compare: [{ target: mod, key: key('a'), modRevision: 0 }],
      success: [put('a', 'x')],
      failure: [get('a')],
    };
    const first = await txn(request);
    expect(first.succeeded).toBe(true);
    const second = await txn(request);
    expect(second.succeeded).toBe(false);
    expect(second.responses[0]?.responseRange?.kvs[0]?.modRevision).toBe(first.header!.revision);
  });

  test('update and delete at a revision', async () => {
    const created = await store.create(`${at}a`, Buffer.from('x'));
    const compare = [{ target: mod, key: key('a'), modRevision: created }];
    const updated = await txn({ compare, success: [put('a', 'y')] });
    expect([updated.succeeded, updated.header!.revision]).toEqual([true, created + 1]);
    const refused = await txn({
      compare,
      success: [{ requestDeleteRange: { key: key('a') } }],
      failure: [get('a')],
    });
    expect([refused.succeeded, refused.responses[0]?.responseRange?.kvs.length]).toEqual([false, 1]);
    const deleted = await txn({
      compare: [{ target: mod, key: key('a'), modRevision: created + 1 }],
      success: [{ requestDeleteRange: { key: key('a'), prevKv: true } }],
    });
    expect(Buffer.from(deleted.responses[0]!.responseDeleteRange!.prevKvs[0]!.value).toString()).toBe('y');
  });

  test('the compaction record of kube-apiserver, by version', async () => {
    const attempt = (expected: number) =>
      txn({
        compare: [{ target: version, key: key('compact_rev_key'), version: expected }],
        success: [put('compact_rev_key', '1')],
        failure: [get('compact_rev_key')],
      });
    expect((await attempt(0)).succeeded).toBe(true);
    const refused = await attempt(0);
    expect([refused.succeeded, refused.responses[0]?.responseRange?.kvs[0]?.version]).toEqual([false, 1]);
    expect((await attempt(1)).succeeded).toBe(true);
  });

  test('by value, and by more and less', async () => {
    await store.create(`${at}a`, Buffer.from('m'));
    const outcome = async (result: number, text: string) =>
      (
        await txn({
          compare: [{ result, target: value, key: key('a'), value: Buffer.from(text) }],
          success: [put('a', 'm')],
        })
      ).succeeded;
    expect(await Promise.all([outcome(0, 'm'), outcome(1, 'a'), outcome(2, 'a'), outcome(3, 'm')])).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  const compare = () => ({ target: mod, key: key('a'), modRevision: 0 });
  const refusals: [field: string, request: () => MessageDraft<'TxnRequest'>][] = [
    ['TxnRequest.compare with 0 terms', () => ({ success: [put('a', 'x')] })],
    [
      'TxnRequest.success on other keys than compared',
      () => ({ compare: [compare(), compare()], success: [put('a', 'x')] }),
    ],
    [
      'TxnRequest with many keys that does not only create them',
      () => ({ compare: [compare(), compare()], success: [put('a', 'x'), put('b', 'x')] }),
    ],
    [
      'TxnRequest.failure with many keys',
      () => ({
        compare: [compare(), compare()],
        success: [put('a', 'x'), put('b', 'x')],
        failure: [get('a')],
      }),
    ],
    [
      'TxnRequest.success with 2 operations',
      () => ({ compare: [compare()], success: [put('a', 'x'), put('b', 'x')] }),
    ],
    [
      'TxnRequest.success on a key that is not compared',
      () => ({ compare: [compare()], success: [put('b', 'x')] }),
    ],
    [
      'TxnRequest.success with request_range or request_txn',
      () => ({ compare: [compare()], success: [get('a')] }),
    ],
    [
      'TxnRequest.failure other than request_range',
      () => ({ compare: [compare()], success: [put('a', 'x')], failure: [put('a', 'y')] }),
    ],
    [
      'Compare.range_end',
      () => ({ compare: [{ ...compare(), rangeEnd: key('b') }], success: [put('a', 'x')] }),
    ],
    ['Compare.lease', () => ({ compare: [{ ...compare(), target: 4 }], success: [put('a', 'x')] })],
    [
      'PutRequest.ignore_value',
      () => ({ compare: [compare()], success: [put('a', 'x', { ignoreValue: true })] }),
    ],
    [
      'DeleteRangeRequest.range_end',
      () => ({
        compare: [compare()],
        success: [{ requestDeleteRange: { key: key('a'), rangeEnd: key('b') } }],
      }),
    ],
  ];
  test.each(refusals)('%s is refused by its name', async (field, request) => {
    await expect(txn(request())).rejects.toThrow(`etcdserver: ${field} is not supported by object-storage`);
  });

  test('many keys are created together, or none of them if one exists', async () => {
    const create = (...names: string[]): MessageDraft<'TxnRequest'> => ({
      compare: names.map((name) => ({ target: 1, key: key(name), createRevision: 0 })),
      success: names.map((name) => put(name, name)),
    });
    expect(await txn(create('many-a', 'many-b'))).toMatchObject({ succeeded: true });
    expect(await txn(create('many-c', 'many-b'))).toMatchObject({ succeeded: false, responses: [] });
    expect((await range({ key: key('many-b') })).kvs).toMatchObject([{ value: Buffer.from('many-b') }]);
    expect((await range({ key: key('many-c') })).kvs).toEqual([]);
    await expect(txn(create('many-d', 'many-d'))).rejects.toThrow('duplicate key given in txn request');
    const tooMany = Array.from({ length: 129 }, (_, i) => `many-${i}`);
    await expect(txn(create(...tooMany))).rejects.toThrow('too many operations in txn request');
  });

  test('an empty key and a key that is not UTF-8 are refused', async () => {
    await expect(range({ key: Buffer.alloc(0) })).rejects.toThrow('etcdserver: key is not provided');
    await expect(range({ key: Buffer.of(0xff) })).rejects.toThrow('a key that is not UTF-8 is not supported');
  });
});

describe('Lease', () => {
  const grant = (ttl: number) => client.call('Lease', 'LeaseGrant', { ttl, id: 0 }, false);
  const attach = (name: string, lease: number | string) =>
    client.call('KV', 'Put', { key: key(name), value: Buffer.from('x'), lease }, false);

  test('a lease reports its time and keys, and deletes its keys when it is revoked', async () => {
    const { id, ttl } = await grant(60);
    expect(ttl).toBe(60);
    await attach('a', id);
    await attach('b', id);
    await attach('b', 0);
    const left = await client.call('Lease', 'LeaseTimeToLive', { id, keys: true }, false);
    expect([left.grantedTtl, left.keys.map(keyText)]).toEqual([60, [`${at}a`, `${at}b`]]);
    expect(left.ttl).toBeOneOf([59, 60]);
    await client.call('Lease', 'LeaseRevoke', { id }, false);
    expect((await store.list(at)).entries.map((e) => e.key)).toEqual([`${at}b`]);
    expect((await client.call('Lease', 'LeaseTimeToLive', { id }, false)).ttl).toBe(-1);
    await expect(attach('c', id)).rejects.toThrow('etcdserver: requested lease not found');
  });

  test('a lease of many keys is revoked with all of them', async () => {
    const { id } = await grant(60);
    for (let i = 0; i < 450; i++) await attach(`many-${i}`, id);
    const { keys } = await client.call('Lease', 'LeaseTimeToLive', { id, keys: true }, false);
    expect(keys).toHaveLength(450);
    await client.call('Lease', 'LeaseRevoke', { id }, false);
    expect((await store.list(at)).entries).toEqual([]);
  });

  test('a lease of an earlier run of the server is still good', async () => {
    const { id } = await grant(60);
    const other = createMemoryStore();
    const restarted = await startEtcdServer(other, { listen: ['http://127.0.0.1:0'] });
    const again = new EtcdClient({ servers: restarted.urls });
    await again.call('KV', 'Put', { key: key('a'), value: Buffer.from('x'), lease: id }, false);
    expect((await again.call('Lease', 'LeaseTimeToLive', { id, keys: true }, false)).keys).toHaveLength(1);
    again.close();
    await restarted.stop();
    await other.close();
  });

  test('a lease that was never granted is not there', async () => {
    await expect(attach('a', 12345)).rejects.toThrow('etcdserver: requested lease not found');
  });
});

describe('Watch', () => {
  /** Reads responses of a stream one by one. */
  function reader(stream: WatchStream) {
    const iterator = stream[Symbol.asyncIterator]() as AsyncIterator<Message<'WatchResponse'>>;
    stream.on('error', () => {});
    return async () => (await iterator.next()).value as Message<'WatchResponse'>;
  }
  const prefix = () => ({ key: keyBytes(at), rangeEnd: prefixEnd(keyBytes(at)) });

  test('several watches share a stream, each is cancelled on its own', async () => {
    const stream = client.watch();
    const next = reader(stream);
    stream.write({ createRequest: prefix() });
    expect(await next()).toMatchObject({ created: true, watchId: 0 });
    stream.write({ createRequest: { key: key('a'), watchId: 7 } });
    expect(await next()).toMatchObject({ created: true, watchId: 7 });
    await put('b', 'x');
    expect(await next()).toMatchObject({ watchId: 0, events: [{ type: 0, prevKv: undefined }] });
    stream.write({ cancelRequest: { watchId: 0 } });
    expect(await next()).toMatchObject({ canceled: true, watchId: 0 });
    await put('a', 'x');
    expect(await next()).toMatchObject({ watchId: 7, events: [{ type: 0 }] });
    stream.cancel();
  });

  test('previous values are sent if requested, filters leave events out', async () => {
    const stream = client.watch();
    const next = reader(stream);
    const startRevision = (await store.currentRevision()) + 1;
    stream.write({ createRequest: { ...prefix(), startRevision, prevKv: true, filters: [0] } });
    await next();
    await put('a', 'one');
    await put('a', 'two');
    await store.delete(`${at}a`);
    const { events } = await next();
    expect(events.map((e) => [e.type, e.kv!.modRevision, Buffer.from(e.prevKv!.value).toString()])).toEqual([
      [1, startRevision + 2, 'two'],
    ]);
    stream.cancel();
  });

  test('a progress response follows a progress request, after all earlier events', async () => {
    const stream = client.watch();
    const next = reader(stream);
    stream.write({ createRequest: prefix() });
    await next();
    await put('a', 'x');
    const elsewhere = await store.create(`/elsewhere/${folders}`, Buffer.from('x'));
    stream.write({ progressRequest: {} });
    expect((await next()).events).toHaveLength(1);
    expect(await next()).toMatchObject({ watchId: -1, header: { revision: elsewhere }, events: [] });
    stream.cancel();
  });

  test('a watch from before a compaction is cancelled with the compacted revision', async () => {
    for (const name of ['a', 'b', 'c']) await put(name, 'x');
    const compactRevision = await store.currentRevision();
    await client.call('KV', 'Compact', { revision: compactRevision }, false);
    const stream = client.watch();
    const next = reader(stream);
    stream.write({ createRequest: { ...prefix(), startRevision: compactRevision - 1 } });
    expect(await next()).toMatchObject({ created: true, watchId: 0 });
    expect(await next()).toMatchObject({ canceled: true, compactRevision });
    stream.cancel();
  });
});

describe('Maintenance and Cluster', () => {
  test('status and members are served', async () => {
    const status = await client.call('Maintenance', 'Status', {}, true);
    expect(status).toMatchObject({ version: '3.5.21', dbSize: 4096, leader: 1 });
    const { members } = await client.call('Cluster', 'MemberList', {}, true);
    expect(members).toMatchObject([{ name: 'object-storage', clientUrls: server.urls }]);
  });
});
