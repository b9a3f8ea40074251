import { expect } from 'vitest';
import { createMissing } from '../create-missing.ts';
import { brief, bytes, code, type ContractCase, errorOf, take, text } from './contract-case.contract.ts';
import type { StoreError } from '../store.ts';

/** Cases of creates, updates and deletes. */
export const writeCases: readonly ContractCase[] = [
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
];
