import { describe, expect, it } from 'vitest';
import { tempFolder } from '@annex/testkit';
import { openLmdbStore } from './lmdb/open-lmdb-store.ts';
import { createMemoryStore } from './memory-store.ts';
import { duringTurns, useShortSlices } from './short-slices.fixture.ts';
import type { ListOptions, ListResult, Store } from './store.ts';

const things = '/registry/things/';
const bytes = (text: string) => Buffer.from(text);
const key = (name: number | string) => things + String(name).padStart(3, '0');
const brief = ({ entries, more, count }: ListResult) => ({
  entries: entries.map((entry) => `${entry.key.slice(things.length)}=${Buffer.from(entry.value).toString()}`),
  more,
  count,
});

async function fill(store: Store, length: number): Promise<number> {
  for (let i = 0; i < length; i++) await store.create(key(i), bytes(`first ${i}`));
  await store.create('/registry/thingsx', bytes('another prefix'));
  return await store.currentRevision();
}

/** Changes, deletes and creates keys before and after the place where a list may be. */
async function change(store: Store, turn: number): Promise<void> {
  const i = (turn * 7) % 30;
  const { entry } = await store.get(key(i));
  if (entry === undefined) await store.create(key(i), bytes(`again ${turn}`));
  else if (turn % 2 === 0) await store.delete(key(i));
  else await store.update(key(i), bytes(`changed ${turn}`), entry.modRevision);
  await store.create(`${key(i)}-${turn}`, bytes('new'));
}

const lists: [name: string, options: ListOptions][] = [
  ['whole', {}],
  ['with a limit', { limit: 11 }],
  ['with a limit that is its length', { limit: 30 }],
  ['from a key on', { startKey: key(9), limit: 5 }],
  ['without its count', { limit: 11, uncounted: true }],
];

describe('a list', () => {
  it.each(lists)('is a snapshot, whatever is written between its slices: %s', async (_, options) => {
    const store = createMemoryStore();
    const at = await fill(store, 30);
    const expected = brief(await store.list(things, options));
    useShortSlices();
    const now = await duringTurns(store.list(things, options), (turn) => change(store, turn));
    expect(now.turns).toBeGreaterThan(3);
    expect(now.result.revision).toBe(at);
    expect(brief(now.result)).toEqual(expected);
    const earlier = await duringTurns(store.list(things, { ...options, revision: at }), (turn) =>
      change(store, turn + now.turns),
    );
    expect(brief(earlier.result)).toEqual(expected);
    await store.close();
  });

  const compactOnce = (store: Store) => async (turn: number) => {
    if (turn === 1) await store.compact(await store.create(key('new'), bytes('new')));
  };

  it('begins again if its revision is compacted before its end', async () => {
    const store = createMemoryStore();
    const at = await fill(store, 10);
    useShortSlices();
    const { result } = await duringTurns(store.list(things), compactOnce(store));
    expect(result.revision).toBe(at + 1);
    expect(brief(result).entries).toHaveLength(11);
    await store.close();
  });

  it('at a revision fails if that is compacted before its end', async () => {
    const store = createMemoryStore();
    const at = await fill(store, 10);
    useShortSlices();
    const list = duringTurns(store.list(things, { revision: at }), compactOnce(store));
    await expect(list).rejects.toMatchObject({ code: 'compacted' });
    await store.close();
  });

  it('fails if the store is closed before its end', async () => {
    const store = createMemoryStore();
    await fill(store, 10);
    useShortSlices();
    const list = duringTurns(store.list(things), (turn) => turn === 1 && store.close());
    await expect(list).rejects.toMatchObject({ code: 'unavailable' });
  });
});

const stores: [name: string, open: (dir: string) => Store | Promise<Store>][] = [
  ['memory', () => createMemoryStore()],
  ['LMDB', (dir) => openLmdbStore({ dir })],
];

describe.each(stores)('a list of %s', (_name, open) => {
  it.each(lists)('is the same in slices, now and later: %s', async (_, options) => {
    using folder = tempFolder('annex-list-');
    const store = await open(folder.path);
    const revision = await fill(store, 30);
    const expected = brief(await store.list(things, options));
    for (let turn = 0; turn < 12; turn++) await change(store, turn);
    const changed = brief(await store.list(things, options));
    useShortSlices();
    expect(brief(await store.list(things, options))).toEqual(changed);
    expect(brief(await store.list(things, { ...options, revision }))).toEqual(expected);
    await store.close();
  });

  it('at an earlier revision skips keys in slices that were created since', async () => {
    using folder = tempFolder('annex-list-');
    const store = await open(folder.path);
    const revision = await fill(store, 1);
    for (let i = 0; i < 50; i++) await store.create(`${things}000-${i}`, bytes('new'));
    // Reads the log.
    await store.list(things, { revision });
    useShortSlices();
    const { result, turns } = await duringTurns(store.list(things, { revision, limit: 1 }));
    expect(brief(result)).toEqual({ entries: ['000=first 0'], more: false, count: 1 });
    expect(turns).toBeGreaterThan(10);
    await store.close();
  });

  it('counts many keys in slices, changed or not', async () => {
    using folder = tempFolder('annex-list-');
    const store = await open(folder.path);
    const createMany = (name: string, length: number) =>
      Promise.all(Array.from({ length }, (_, i) => store.create(`${things}${name}-${i}`, bytes('many'))));
    await createMany('old', 10_500);
    const revision = await fill(store, 2);
    await createMany('new', 2100);
    await store.delete(key(1));
    const count = async (options: ListOptions) => (await store.list(things, { limit: 1, ...options })).count;
    expect(await count({})).toBe(12_601);
    expect(await count({ revision })).toBe(10_502);
    expect(await count({ revision, startKey: `${things}old-5` })).toBe(5555);
    await store.close();
  });
});
