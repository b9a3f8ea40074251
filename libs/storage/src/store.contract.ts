import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMissing } from './create-missing.ts';
import {
  type Entry,
  type Store,
  type StoreError,
  type StoreErrorCode,
  type StoreEvent,
  type WatchBatch,
} from './store.ts';

interface Bench {
  store: Store;
  /** A prefix of the store that no other case uses. */
  at: string;
}

interface ContractCase {
  name: string;
  run(bench: Bench): Promise<void>;
}

/** Options to run the contract on a store. */
export interface ContractOptions {
  /**
   * Opens the store for one case; it is closed after the case. Stores may share their data: each case has a
   * separate prefix.
   */
  open(): Promise<Store>;
  /**
   * Cases that this store does not support, with the reason. They show as skipped; an unknown case name
   * fails.
   */
  unsupported?: Readonly<Record<string, string>>;
}

/** Registers every case of the store contract for one store. */
export function storeContract(name: string, { open, unsupported = {} }: ContractOptions): void {
  describe(`store contract: ${name}`, () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    for (const { name, run } of cases) {
      const reason = unsupported[name];
      if (reason) test.skip(`${name} (skipped: ${reason})`, () => {});
      else test(name, () => run({ store, at: `/registry/contract-${process.pid}-${++runs}-${Date.now()}/` }));
    }
    test('every unsupported case is a case of the contract', () => {
      const names = new Set(cases.map((c) => c.name));
      expect(Object.keys(unsupported).filter((name) => !names.has(name))).toEqual([]);
    });
  });
}

let runs = 0;

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (entry: Entry | undefined): string | undefined => entry && Buffer.from(entry.value).toString();
const brief = (event: StoreEvent) =>
  `${event.type} ${event.entry.key.split('/').pop()} ${text(event.entry)}<${text(event.previous) ?? ''}`;

async function errorOf(promise: Promise<unknown>): Promise<StoreError> {
  return promise.then(
    () => expect.fail('it must fail'),
    (error: StoreError) => error,
  );
}

async function code(promise: Promise<unknown>): Promise<StoreErrorCode> {
  return (await errorOf(promise)).code;
}

/** Collects events of a watch until there are `count`. */
async function take(
  store: Store,
  prefix: string,
  fromRevision: number,
  count: number,
  then?: () => unknown,
): Promise<StoreEvent[]> {
  const stop = new AbortController();
  const events: StoreEvent[] = [];
  const reading = (async () => {
    for await (const batch of store.watch(prefix, { fromRevision, signal: stop.signal })) {
      events.push(...batch.events);
      if (events.length >= count) break;
    }
  })();
  await then?.();
  await reading;
  stop.abort();
  return events;
}

const cases: ContractCase[] = [
  {
    name: 'missing keys are created, and existing ones stay as they are',
    async run({ store, at }) {
      await store.create(`${at}b`, bytes('old'));
      const entries = ['a', 'b', 'c'].map((name) => ({ key: at + name, value: bytes('new') }));
      const { revision } = await store.list(at);
      const events = take(store, at, revision, 2);
      await createMissing(store, entries);
      expect((await store.list(at)).entries.map((entry) => text(entry))).toEqual(['new', 'old', 'new']);
      expect((await events).map(brief).sort()).toEqual(['put a new<', 'put c new<']);
      await createMissing(
        store,
        entries.map(({ key }) => ({ key: `${key}2`, value: bytes('two') })),
      );
      expect((await store.list(at)).count).toBe(6);
    },
  },
  {
    name: 'a store with batches creates all keys or none',
    async run({ store, at }) {
      expect(store.createAll !== undefined).toBe(store.capabilities.batches === true);
      if (store.createAll === undefined) return;
      const entries = (...names: string[]) => names.map((name) => ({ key: at + name, value: bytes(name) }));
      const revision = await store.createAll(entries('a', 'b'));
      expect((await store.get(`${at}b`)).entry).toMatchObject({
        createRevision: revision,
        modRevision: revision,
      });
      expect(await store.createAll(entries('c', 'a'))).toBeUndefined();
      expect((await store.list(at)).count).toBe(2);
    },
  },
  {
    name: 'a new key can be read with its value and revisions',
    async run({ store, at }) {
      const revision = await store.create(`${at}a`, bytes('one'));
      const { entry, revision: seen } = await store.get(`${at}a`);
      expect(text(entry)).toBe('one');
      expect(entry).toMatchObject({ key: `${at}a`, createRevision: revision, modRevision: revision });
      expect(seen).toBe(revision);
    },
  },
  {
    name: 'a key that was never written is absent',
    async run({ store, at }) {
      const { entry, revision } = await store.get(`${at}nothing`);
      expect(entry).toBeUndefined();
      expect(revision).toBe(await store.currentRevision());
    },
  },
  {
    name: 'every write raises the revision by exactly one, refused writes do not',
    async run({ store, at }) {
      const start = await store.currentRevision();
      expect(start).toBeGreaterThanOrEqual(1);
      expect(await store.create(`${at}a`, bytes('1'))).toBe(start + 1);
      await code(store.create(`${at}a`, bytes('2')));
      await code(store.update(`${at}a`, bytes('2'), start));
      expect(await store.create(`${at}b`, bytes('2'))).toBe(start + 2);
      expect(await store.update(`${at}a`, bytes('3'), start + 1)).toBe(start + 3);
      expect((await store.delete(`${at}a`)).revision).toBe(start + 4);
      expect(await store.currentRevision()).toBe(start + 4);
      // If a store has its revision locally, it is never older.
      expect(store.revision ?? start + 4).toBe(start + 4);
    },
  },
  {
    name: 'creating a key that exists is refused with the current entry',
    async run({ store, at }) {
      const revision = await store.create(`${at}a`, bytes('one'));
      const error = await errorOf(store.create(`${at}a`, bytes('two')));
      expect(error.code).toBe('exists');
      expect(text(error.current)).toBe('one');
      expect(error.current?.modRevision).toBe(revision);
    },
  },
  {
    name: 'an update keeps the create revision and moves the mod revision',
    async run({ store, at }) {
      const created = await store.create(`${at}a`, bytes('one'));
      const updated = await store.update(`${at}a`, bytes('two'), created);
      const { entry } = await store.get(`${at}a`);
      expect(text(entry)).toBe('two');
      expect(entry).toMatchObject({ createRevision: created, modRevision: updated });
      expect(entry?.version ?? 2).toBe(2);
    },
  },
  {
    name: 'an update of another revision is refused with the current entry',
    async run({ store, at }) {
      const created = await store.create(`${at}a`, bytes('one'));
      await store.update(`${at}a`, bytes('two'), created);
      const error = await errorOf(store.update(`${at}a`, bytes('three'), created));
      expect(error.code).toBe('conflict');
      expect(text(error.current)).toBe('two');
    },
  },
  {
    name: 'updating or deleting an absent key is refused as not found',
    async run({ store, at }) {
      expect(await code(store.update(`${at}a`, bytes('x'), 5))).toBe('notFound');
      expect(await code(store.delete(`${at}a`, 5))).toBe('notFound');
      expect(await code(store.delete(`${at}a`))).toBe('notFound');
    },
  },
  {
    name: 'a delete returns the deleted entry',
    async run({ store, at }) {
      const created = await store.create(`${at}a`, bytes('one'));
      expect(await code(store.delete(`${at}a`, created - 1))).toBe('conflict');
      const { entry, revision } = await store.delete(`${at}a`, created);
      expect(text(entry)).toBe('one');
      expect(entry.modRevision).toBe(created);
      expect(revision).toBe(created + 1);
      expect((await store.get(`${at}a`)).entry).toBeUndefined();
    },
  },
  {
    name: 'a delete without an expected revision deletes the current entry',
    async run({ store, at }) {
      const created = await store.create(`${at}a`, bytes('one'));
      await store.update(`${at}a`, bytes('two'), created);
      expect(text((await store.delete(`${at}a`)).entry)).toBe('two');
    },
  },
  {
    name: 'a key created again after its deletion has a new create revision',
    async run({ store, at }) {
      await store.create(`${at}a`, bytes('one'));
      await store.delete(`${at}a`);
      const again = await store.create(`${at}a`, bytes('two'));
      expect((await store.get(`${at}a`)).entry).toMatchObject({ createRevision: again, modRevision: again });
    },
  },
  {
    name: 'of many writers of one key at one revision exactly one wins',
    async run({ store, at }) {
      const created = await store.create(`${at}a`, bytes('0'));
      const tries = Array.from({ length: 20 }, (_, i) => store.update(`${at}a`, bytes(`${i + 1}`), created));
      const results = await Promise.allSettled(tries);
      const won = results.flatMap((r) => (r.status === 'fulfilled' ? [r.value] : []));
      expect(won).toEqual([created + 1]);
      const lost = results.flatMap((r) => (r.status === 'rejected' ? [(r.reason as StoreError).code] : []));
      expect(new Set(lost)).toEqual(new Set(['conflict']));
    },
  },
  {
    name: 'of many creators of one key exactly one wins',
    async run({ store, at }) {
      const tries = Array.from({ length: 20 }, (_, i) => store.create(`${at}a`, bytes(`${i}`)));
      const results = await Promise.allSettled(tries);
      expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    },
  },
  {
    name: 'a list is in the order of keys and holds its prefix only',
    async run({ store, at }) {
      for (const key of ['pods/b', 'pods/a', 'podsx/a', 'pods/a/b', 'pods/a-', 'pod/z']) {
        await store.create(`${at}${key}`, bytes(key));
      }
      const { entries, more, count, revision } = await store.list(`${at}pods/`);
      expect(entries.map((e) => e.key.slice(at.length))).toEqual(['pods/a', 'pods/a-', 'pods/a/b', 'pods/b']);
      expect(entries.map(text)).toEqual(['pods/a', 'pods/a-', 'pods/a/b', 'pods/b']);
      expect([more, count]).toEqual([false, 4]);
      expect(revision).toBe(await store.currentRevision());
    },
  },
  {
    name: 'a list of an empty prefix is empty at the current revision',
    async run({ store, at }) {
      const revision = await store.currentRevision();
      expect(await store.list(at)).toEqual({ entries: [], revision, more: false, count: 0 });
    },
  },
  {
    name: 'a list in pages at one revision does not see later writes',
    async run({ store, at }) {
      for (const key of ['a', 'b', 'c', 'd', 'e']) await store.create(`${at}${key}`, bytes(key));
      const first = await store.list(at, { limit: 2 });
      expect(first.entries.map(text)).toEqual(['a', 'b']);
      expect([first.more, first.count]).toEqual([true, 5]);
      await store.delete(`${at}d`);
      await store.update(`${at}c`, bytes('changed'), (await store.get(`${at}c`)).entry!.modRevision);
      await store.create(`${at}cc`, bytes('new'));
      const second = await store.list(at, {
        limit: 2,
        startKey: `${at}b\0`,
        revision: first.revision,
      });
      expect(second.entries.map(text)).toEqual(['c', 'd']);
      expect([second.more, second.count, second.revision]).toEqual([true, 3, first.revision]);
      const third = await store.list(at, { startKey: `${at}d\0`, revision: first.revision });
      expect(third.entries.map(text)).toEqual(['e']);
      expect(third.more).toBe(false);
    },
  },
  {
    name: 'a list cut exactly at its end has no more',
    async run({ store, at }) {
      for (const key of ['a', 'b']) await store.create(`${at}${key}`, bytes(key));
      const list = await store.list(at, { limit: 2 });
      expect([list.entries.length, list.more, list.count]).toEqual([2, false, 2]);
    },
  },
  {
    name: 'a key can be read as of an earlier revision',
    async run({ store, at }) {
      const before = await store.currentRevision();
      const created = await store.create(`${at}a`, bytes('one'));
      const updated = await store.update(`${at}a`, bytes('two'), created);
      const deleted = (await store.delete(`${at}a`)).revision;
      await store.create(`${at}a`, bytes('three'));
      const read = async (revision: number) => text((await store.get(`${at}a`, { revision })).entry);
      expect(await read(before)).toBeUndefined();
      expect(await read(created)).toBe('one');
      expect(await read(updated)).toBe('two');
      expect(await read(deleted)).toBeUndefined();
      expect(await read(deleted + 1)).toBe('three');
    },
  },
  {
    name: 'reading a revision that is not written yet is refused',
    async run({ store, at }) {
      const revision = (await store.currentRevision()) + 1000;
      expect(await code(store.get(`${at}a`, { revision }))).toBe('future');
      expect(await code(store.list(at, { revision }))).toBe('future');
    },
  },
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
    name: 'compaction removes older history, and keeps what is readable at its revision',
    async run({ store, at }) {
      const kept = await store.create(`${at}kept`, bytes('kept'));
      const one = await store.create(`${at}a`, bytes('one'));
      const two = await store.update(`${at}a`, bytes('two'), one);
      await store.create(`${at}gone`, bytes('gone'));
      await store.delete(`${at}gone`);
      const three = await store.update(`${at}a`, bytes('three'), two);
      await store.compact(three - 1);
      expect(await code(store.get(`${at}a`, { revision: two }))).toBe('compacted');
      expect(await code(store.list(at, { revision: one }))).toBe('compacted');
      const at2 = await store.list(at, { revision: three - 1 });
      expect(at2.entries.map((e) => [e.key.slice(at.length), text(e), e.modRevision])).toEqual([
        ['a', 'two', two],
        ['kept', 'kept', kept],
      ]);
      expect((await store.list(at)).entries.map(text)).toEqual(['three', 'kept']);
      const [event] = await take(store, at, three - 1, 1);
      expect(brief(event!)).toBe('put a three<two');
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
  {
    name: 'compacting a compacted or a future revision is refused',
    async run({ store, at }) {
      const first = await store.create(`${at}a`, bytes('1'));
      await store.create(`${at}b`, bytes('2'));
      await store.compact(first);
      expect(await code(store.compact(first))).toBe('compacted');
      expect(await code(store.compact(first + 1000))).toBe('future');
    },
  },
  {
    name: 'values are bytes: empty, binary and large ones are returned unchanged',
    async run({ store, at }) {
      const values = [new Uint8Array(0), Uint8Array.of(0, 255, 128, 0), new Uint8Array(1_000_000).fill(7)];
      for (const [i, value] of values.entries()) await store.create(`${at}${i}`, value);
      for (const [i, value] of values.entries()) {
        const { entry } = await store.get(`${at}${i}`);
        expect(Buffer.compare(entry!.value, value)).toBe(0);
      }
    },
  },
  {
    name: 'a key with a time to live is deleted by the store, as an event',
    async run({ store, at }) {
      const from = await store.currentRevision();
      const events = await take(store, at, from, 2, () =>
        store.create(`${at}a`, bytes('x'), { ttlSeconds: 1 }),
      );
      expect(events.map(brief)).toEqual(['put a x<', 'delete a <x']);
      expect((await store.get(`${at}a`)).entry).toBeUndefined();
    },
  },
  {
    name: 'a write without a time to live removes it',
    async run({ store, at }) {
      const created = await store.create(`${at}a`, bytes('x'), { ttlSeconds: 1 });
      await store.update(`${at}a`, bytes('y'), created);
      const from = await store.currentRevision();
      // The second key is due later than the first would have been: after its deletion the first would have
      // expired.
      await take(store, at, from, 2, () => store.create(`${at}b`, bytes('x'), { ttlSeconds: 2 }));
      expect(text((await store.get(`${at}a`)).entry)).toBe('y');
    },
  },
];
