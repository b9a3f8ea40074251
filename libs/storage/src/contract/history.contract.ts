import { expect } from 'vitest';
import { brief, bytes, code, type ContractCase, take, text } from './contract-case.contract.ts';

/** Cases of compactions, and of keys that expire. */
export const historyCases: readonly ContractCase[] = [
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
