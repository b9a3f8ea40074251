import { expect } from 'vitest';
import { brief, bytes, code, type ContractCase, errorOf, take, text } from './contract-case.contract.ts';
import type { WatchBatch } from '../store.ts';

/** Cases of watches. */
export const watchCases: readonly ContractCase[] = [
  {
    name: 'a watch delivers creation, change and deletion in order, with the previous values',
    async run({ store, at }) {
      const from = await store.currentRevision();
      const events = await take(store, at, from, 4, async () => {
        const created = await store.create(`${at}a`, bytes('one'));
        await store.create(`${at}b`, bytes('b'));
        await store.update(`${at}a`, bytes('two'), created);
        await store.delete(`${at}a`);
      });
      expect(events.map(brief)).toEqual(['put a one<', 'put b b<', 'put a two<one', 'delete a <two']);
      expect(events.map((e) => e.entry.modRevision)).toEqual([from + 1, from + 2, from + 3, from + 4]);
      expect(events[2]!.entry.createRevision).toBe(from + 1);
      expect(events[3]!.previous).toMatchObject({ createRevision: from + 1, modRevision: from + 3 });
    },
  },
  {
    name: 'a watch begins after its revision, with history',
    async run({ store, at }) {
      const first = await store.create(`${at}a`, bytes('one'));
      await store.create(`${at}b`, bytes('two'));
      await store.create(`${at}c`, bytes('three'));
      const events = await take(store, at, first, 3, () => store.create(`${at}d`, bytes('four')));
      expect(events.map((e) => text(e.entry))).toEqual(['two', 'three', 'four']);
    },
  },
  {
    name: 'a watch delivers nothing of other prefixes',
    async run({ store, at }) {
      const from = await store.currentRevision();
      const events = await take(store, `${at}pods/`, from, 2, async () => {
        await store.create(`${at}podsx/a`, bytes('no'));
        await store.create(`${at}pods/a`, bytes('yes'));
        await store.create(`${at}pod/a`, bytes('no'));
        await store.create(`${at}pods/b`, bytes('yes'));
      });
      expect(events.map((e) => text(e.entry))).toEqual(['yes', 'yes']);
    },
  },
  {
    name: 'a watch of a busy store delivers every event once',
    async run({ store, at }) {
      const from = await store.currentRevision();
      const events = await take(store, at, from, 700, async () => {
        const writer = async (name: string) => {
          for (let i = 0; i < 100; i++) await store.create(`${at}${name}-${i}`, bytes('x'));
        };
        await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(writer));
      });
      expect(events.map((e) => e.entry.modRevision)).toEqual(
        Array.from({ length: 700 }, (_, i) => from + 1 + i),
      );
    },
  },
  {
    name: 'an aborted watch ends without an error',
    async run({ store, at }) {
      const stop = new AbortController();
      const watch = store.watch(at, { fromRevision: await store.currentRevision(), signal: stop.signal });
      const iterator = watch[Symbol.asyncIterator]();
      const next = iterator.next();
      await store.create(`${at}a`, bytes('x'));
      expect((await next).value?.events).toHaveLength(1);
      const pending = iterator.next();
      stop.abort();
      expect((await pending).done).toBe(true);
    },
  },
  {
    name: 'a watch with progress reports writes to other prefixes',
    async run({ store, at }) {
      const stop = new AbortController();
      const fromRevision = await store.currentRevision();
      const watch = store.watch(`${at}here/`, { fromRevision, signal: stop.signal, progress: true });
      const reading = (async () => {
        const batches: WatchBatch[] = [];
        for await (const batch of watch) {
          batches.push(batch);
          if (batch.revision >= fromRevision + 2) break;
        }
        return batches;
      })();
      await store.create(`${at}here/a`, bytes('x'));
      await store.create(`${at}there/a`, bytes('x'));
      const batches = await reading;
      expect(batches.flatMap((b) => b.events.map(brief))).toEqual(['put a x<']);
      expect(batches.at(-1)).toMatchObject({ revision: fromRevision + 2 });
      stop.abort();
    },
  },
  {
    name: 'closing the store ends its watches with an error',
    async run({ store, at }) {
      const stop = new AbortController();
      const watch = store.watch(at, { fromRevision: await store.currentRevision(), signal: stop.signal });
      const next = watch[Symbol.asyncIterator]().next();
      await store.create(`${at}a`, bytes('x'));
      await next;
      const iterator = watch[Symbol.asyncIterator]();
      const pending = code(iterator.next());
      await store.close();
      expect(await pending).toBe('unavailable');
      expect(await code(store.get(`${at}a`))).toBe('unavailable');
      expect(await code(store.create(`${at}b`, bytes('x')))).toBe('unavailable');
    },
  },
  {
    name: 'a watch from before a compaction fails with the compacted revision',
    async run({ store, at }) {
      const first = await store.create(`${at}a`, bytes('1'));
      for (const key of ['b', 'c', 'd']) await store.create(`${at}${key}`, bytes(key));
      await store.compact(first + 3);
      const error = await errorOf(take(store, at, first, 1));
      expect(error.code).toBe('compacted');
      expect(error.revision).toBe(first + 3);
    },
  },
];
