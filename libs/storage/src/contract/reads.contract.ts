import { expect } from 'vitest';
import { bytes, code, type ContractCase, text } from './contract-case.contract.ts';

/** Cases of lists, and of reads of earlier revisions. */
export const readCases: readonly ContractCase[] = [
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
    name: 'a list whose count is not needed has the same entries, at the current and at an earlier revision',
    async run({ store, at }) {
      for (const key of ['a', 'b', 'c', 'd']) await store.create(`${at}${key}`, bytes(key));
      const revision = await store.currentRevision();
      const page = async (limit: number, startKey: string, of?: { revision: number }) => {
        const { entries, more } = await store.list(at, { limit, startKey, uncounted: true, ...of });
        return [entries.map(text).join(''), more];
      };
      const pages = async (of?: { revision: number }) => [
        await page(2, at, of),
        await page(2, `${at}b\0`, of),
        await page(3, `${at}c`, of),
      ];
      const expected = [
        ['ab', true],
        ['cd', false],
        ['cd', false],
      ];
      expect(await pages()).toEqual(expected);
      await store.delete(`${at}c`);
      await store.create(`${at}e`, bytes('e'));
      expect(await pages({ revision })).toEqual(expected);
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
];
