import { requireTools } from '@annex/testkit';
import { describe, expect, test, vi } from 'vitest';
import type { StoreEvent } from '../store.ts';
import { createEtcdStore } from './create-etcd-store.ts';
import { startRealEtcd } from './real-etcd.fixture.ts';

const things = '/registry/things/';

describe.runIf(requireTools('etcd in trouble', 'etcd', 'etcdctl'))('an etcd', { timeout: 60_000 }, () => {
  test('that has used up its quota refuses writes, not reads and deletions, until the alarm is off', async () => {
    await using etcd = await startRealEtcd('--quota-backend-bytes=2000000');
    const store = await createEtcdStore({ servers: [etcd.url] });
    const present: string[] = [];
    const value = Buffer.alloc(100_000, 'x');
    const refusal = await (async () => {
      for (;;) {
        const key = `${things}${present.length}`;
        const error = await store.create(key, value).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (error) return error;
        present.push(key);
      }
    })();
    const noSpace = { code: 'noSpace', message: 'etcdserver: mvcc: database space exceeded' };
    expect(refusal).toMatchObject(noSpace);
    await expect(store.create(`${things}short`, Buffer.from('x'), { ttlSeconds: 60 })).rejects.toMatchObject(
      noSpace,
    );
    const { entries } = await store.list(things);
    const stored = entries.map(({ key }) => key);
    // etcd may apply the write that exceeds the quota and still respond with the error.
    expect([present.length, present.length + 1]).toContain(stored.length);
    expect(stored).toEqual(expect.arrayContaining(present));
    await etcd.restart('SIGKILL');
    await expect(store.create(`${things}more`, value)).rejects.toMatchObject(noSpace);
    for (const key of stored) await store.delete(key);
    // Deleted values use space until compaction and defragmentation.
    await etcd.etcdctl('compact', '--physical', String((await store.list(things)).revision));
    await etcd.etcdctl('defrag');
    await etcd.etcdctl('alarm', 'disarm');
    await store.create(`${things}more`, value);
    expect((await store.list(things)).entries.map(({ key }) => key)).toEqual([`${things}more`]);
    await store.close();
  });

  test('that is compacted ends only the watches that are behind; pages of older lists are compacted', async () => {
    await using etcd = await startRealEtcd();
    const store = await createEtcdStore({ servers: [etcd.url] });
    const start = await store.create(`${things}a`, Buffer.from('1'));
    const stop = new AbortController();
    const seen: StoreEvent[] = [];
    const current = (async () => {
      for await (const { events } of store.watch(things, { fromRevision: start, signal: stop.signal })) {
        seen.push(...events);
        if (seen.length === 3) stop.abort();
      }
    })();
    await store.create(`${things}b`, Buffer.from('2'));
    // From here on the watch is open and up to date.
    await vi.waitUntil(() => seen.length === 1, { timeout: 20_000 });
    const page = await store.list(things, { limit: 1 });
    const compacted = await store.create(`${things}c`, Buffer.from('3'));
    await store.compact(compacted);
    const behind = store.watch(things, { fromRevision: start, signal: stop.signal });
    await expect(behind[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'compacted',
      revision: compacted,
    });
    const next = { limit: 1, revision: page.revision, startKey: `${things}b` };
    await expect(store.list(things, next)).rejects.toMatchObject({ code: 'compacted' });
    await store.create(`${things}d`, Buffer.from('4'));
    await current;
    expect(seen.map(({ entry }) => entry.key)).toEqual(['b', 'c', 'd'].map((name) => things + name));
    await store.close();
  });
});
