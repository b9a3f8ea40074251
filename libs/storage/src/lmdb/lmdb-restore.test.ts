import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tempFolder } from '@annex/testkit';
import { afterAll, expect, it } from 'vitest';
import type { Store } from '../store.ts';
import type { ImageEntry } from './lmdb-image.ts';
import { openLmdbStore, openStoreImage, restoreStore } from './open-lmdb-store.ts';

const folder = tempFolder();
afterAll(() => folder[Symbol.dispose]());
let directories = 0;
const newDirectory = () => join(folder.path, String(++directories));
const bytes = (text: string) => Buffer.from(text);

async function filled(dir: string, write: (store: Store) => Promise<unknown>): Promise<void> {
  const store = await openLmdbStore({ dir });
  await write(store);
  await store.close();
}

/** The content of an image, with its values as text. */
async function imageOf(dir: string) {
  using image = await openStoreImage(dir);
  const entries = [...image.entries()].map((entry) => ({ ...entry, value: String(entry.value) }));
  return { revision: image.revision, count: image.count, entries };
}

async function* copy(dir: string): AsyncGenerator<ImageEntry> {
  using image = await openStoreImage(dir);
  yield* image.entries();
}

const source = async (dir: string) => ({
  revision: (await imageOf(dir)).revision,
  entries: () => copy(dir),
});

it('an image is a snapshot while another store writes', async () => {
  const dir = newDirectory();
  const store = await openLmdbStore({ dir });
  await store.create('/a', bytes('1'));
  await store.create('/b', bytes('2'), { ttlSeconds: 3600 });
  using image = await openStoreImage(dir);
  await store.update('/a', bytes('3'), 2);
  await store.delete('/b');
  const now = Date.now();
  expect([image.revision, image.count]).toEqual([3, 2]);
  const [a, b] = [...image.entries()];
  expect(a).toMatchObject({ key: '/a', createRevision: 2, modRevision: 2, version: 1 });
  expect([String(a?.value), String(b?.value)]).toEqual(['1', '2']);
  expect(b?.expiresAt).toBeGreaterThan(now + 3_500_000);
  await store.close();
});

it('images are opened beside a store that writes without a pause', async () => {
  const dir = newDirectory();
  const store = await openLmdbStore({ dir });
  let isWriting = true;
  const writing = (async () => {
    for (let i = 0; isWriting; i++) await store.create(`/k/${i}`, bytes('x'));
  })();
  for (let i = 0; i < 200; i++) (await openStoreImage(dir))[Symbol.dispose]();
  isWriting = false;
  await writing;
  await store.close();
});

it('an expiry is a whole number of milliseconds, as snapshots require', async () => {
  const dir = newDirectory();
  await filled(dir, (store) => store.create('/a', bytes('1'), { ttlSeconds: 3600.00049 }));
  const { entries } = await imageOf(dir);
  expect(entries[0]!.expiresAt! % 1).toBe(0);
});

it('a restored store has exactly the same entries at the same revisions', async () => {
  const [from, to] = [newDirectory(), newDirectory()];
  await filled(from, async (store) => {
    const keys = Array.from({ length: 2500 }, (_, i) => `/k/${i}`);
    await Promise.all(keys.map((key) => store.create(key, bytes(`the value of ${key}`))));
    await store.update('/k/7', bytes('again'), 9);
  });
  const before = await imageOf(from);
  expect(await restoreStore(to, await source(from))).toEqual({ revision: before.revision, count: 2500 });
  expect(await imageOf(to)).toEqual(before);
  await filled(to, async (store) => expect(await store.create('/new', bytes('x'))).toBe(before.revision + 1));
});

it('revisions of the replaced store are not assigned again, and their history is compacted', async () => {
  const [from, to] = [newDirectory(), newDirectory()];
  await filled(from, (store) => store.create('/old', bytes('1')));
  await filled(to, async (store) => {
    for (let i = 0; i < 5; i++) await store.create(`/later/${i}`, bytes('2'));
  });
  expect(await restoreStore(to, await source(from))).toEqual({ revision: 7, count: 1 });
  await filled(to, async (store) => {
    expect((await store.list('/')).entries.map(({ key, modRevision }) => [key, modRevision])).toEqual([
      ['/old', 2],
    ]);
    await expect(store.list('/', { revision: 6 })).rejects.toMatchObject({ code: 'compacted' });
    const watch = store.watch('/', { fromRevision: 6, signal: new AbortController().signal });
    await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'compacted' });
    expect(await store.update('/old', bytes('3'), 2)).toBe(8);
  });
});

const entry = (key: string, modRevision: number): ImageEntry => ({
  key,
  value: bytes(key),
  createRevision: modRevision,
  modRevision,
  version: 1,
});

it.each<[why: string, entries: ImageEntry[]]>([
  ['a key comes twice', [entry('/a', 2), entry('/a', 3)]],
  ['two keys come from one revision', [entry('/a', 2), entry('/b', 2)]],
  ['an entry is newer than the store', [entry('/a', 10)]],
  ['an entry was changed before it was made', [{ ...entry('/a', 2), createRevision: 3 }]],
  // The limit is maxKeyBytes.
  ['a key is too long for the store', [entry(`/${'a'.repeat(2000)}`, 2)]],
])('leaves the old store unchanged if %s', async (_why, entries) => {
  const dir = newDirectory();
  await filled(dir, (store) => store.create('/mine', bytes('1')));
  const before = await imageOf(dir);
  const broken = {
    revision: 9,
    async *entries() {
      yield* entries;
    },
  };
  await expect(restoreStore(dir, broken)).rejects.toMatchObject({ code: 'invalid' });
  expect(await imageOf(dir)).toEqual(before);
  expect(readdirSync(dir).filter((name) => name.startsWith('restoring'))).toEqual([]);
});

it('refuses a directory that another store has locked, and one without a store', async () => {
  const dir = newDirectory();
  await expect(openStoreImage(dir)).rejects.toMatchObject({ code: 'notFound' });
  const store = await openLmdbStore({ dir });
  await store.create('/a', bytes('1'));
  await expect(restoreStore(dir, await source(dir))).rejects.toMatchObject({ code: 'locked' });
  await store.close();
});
