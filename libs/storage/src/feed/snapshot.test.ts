import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../memory-store.ts';
import type { Store } from '../store.ts';
import { pod, pods, setUp } from './feed.fixture.ts';

/** The keys and labels of a page. */
const shown = (page: { key: string; value: { object: { metadata: { labels?: unknown } } } }[] | undefined) =>
  page?.map(({ key, value }) => `${key.slice(pods.length)} ${JSON.stringify(value.object.metadata.labels)}`);

const changes: Record<string, (store: Store, at: (name: string) => string) => Promise<unknown>> = {
  'nothing changed': () => Promise.resolve(),
  'an object was created': (store, at) => store.create(at('b2'), pod('b2')),
  'the first object was deleted': (store, at) => store.delete(at('a')),
  'the last object was deleted': (store, at) => store.delete(at('d')),
  'an object was deleted and created again': async (store, at) => {
    await store.delete(at('b'));
    await store.create(at('b'), pod('b', { again: 'yes' }));
  },
  'an object was changed twice': async (store, at) => {
    const { entry } = await store.get(at('c'));
    const changed = await store.update(at('c'), pod('c', { n: '1' }), entry!.modRevision);
    await store.update(at('c'), pod('c', { n: '2' }), changed);
  },
  'an object was created and deleted': async (store, at) => {
    await store.create(at('b2'), pod('b2'));
    await store.delete(at('b2'));
  },
  'all objects were deleted': async (store, at) => {
    for (const name of ['a', 'b', 'c', 'd']) await store.delete(at(name));
  },
};

describe('a snapshot of a watch cache', () => {
  test.each(Object.entries(changes))('has the former objects after %s', async (_what, change) => {
    const { store, cache } = setUp();
    const at = (name: string) => `${pods}n/${name}`;
    for (const name of ['a', 'b', 'c', 'd']) await store.create(at(name), pod(name));
    const revision = await store.create(`${pods}n2/other`, pod('other'));
    await cache.waitFor();
    await change(store, at);
    await cache.waitFor();
    const snapshot = cache.snapshot(`${pods}n/`, revision)!;
    expect(shown(snapshot.page(`${pods}n/`, 2))).toEqual(['n/a {}', 'n/b {}']);
    expect(snapshot.count(`${pods}n/`)).toBe(4);
    expect(shown(snapshot.page(`${at('b')}\0`, 9))).toEqual(['n/c {}', 'n/d {}']);
    expect(snapshot.count(`${at('b')}\0`)).toBe(2);
    expect(shown(cache.snapshot(at('b'), revision)!.page(at('b'), 1))).toEqual(['n/b {}']);
    expect(cache.snapshot(`${at('b')}0`, revision)!.page(`${at('b')}0`, 1)).toEqual([]);
  });

  test('stays at its revision when objects change between two pages', async () => {
    const { store, cache } = setUp();
    for (const name of ['a', 'b', 'c']) await store.create(pods + name, pod(name));
    await cache.waitFor();
    const snapshot = cache.snapshot(pods, cache.revision)!;
    expect(shown(snapshot.page(pods, 1))).toEqual(['a {}']);
    await store.delete(`${pods}b`);
    await store.create(`${pods}b2`, pod('b2'));
    await cache.waitFor();
    expect(shown(snapshot.page(`${pods}a\0`, 9))).toEqual(['b {}', 'c {}']);
  });

  test('of one key has no object with a longer name', async () => {
    const { store, cache } = setUp();
    await store.create(`${pods}ab`, pod('ab'));
    await cache.waitFor();
    expect(cache.snapshot(`${pods}a`, cache.revision)!.page(`${pods}a`, 1)).toEqual([]);
  });

  test('does not exist before a compaction that the store knows of', async () => {
    const { store, cache } = setUp();
    const created = await store.create(`${pods}a`, pod('a'));
    const later = await store.create(`${pods}b`, pod('b'));
    await cache.waitFor();
    expect(cache.snapshot(pods, created)).toBeDefined();
    await store.compact(later);
    expect(cache.snapshot(pods, created)).toBeUndefined();
    expect(cache.snapshot(pods, later)).toBeDefined();
  });

  test('does not exist before the history or after the newest revision, and ends when its events are dropped', async () => {
    const { store, cache } = setUp(createMemoryStore(), { history: { maxEvents: 2 } });
    const created = await store.create(`${pods}a`, pod('a'));
    await cache.waitFor();
    const snapshot = cache.snapshot(pods, created)!;
    expect(cache.snapshot(pods, created + 1)).toBeUndefined();
    for (const name of ['b', 'c', 'd']) await store.create(pods + name, pod(name));
    await cache.waitFor();
    expect(cache.snapshot(pods, created)).toBeUndefined();
    expect(snapshot.page(pods, 9)).toBeUndefined();
  });
});
