import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { CacheEvent } from '../cache-types.ts';
import { createMemoryStore } from '../memory-store.ts';
import { StoreError } from '../store.ts';
import { pod, pods, recorder, setUp } from './feed.fixture.ts';
import type { StoredObject } from './stored-object.ts';

describe('reading', () => {
  test('begins if the whole history was compacted', async () => {
    const { store, cache } = setUp();
    await store.compact(await store.create(`${pods}a/one`, pod('one')));
    await cache.waitFor();
    expect(cache.list(pods).entries).toHaveLength(1);
  });

  test('a cache has the existing objects, and every write after waitFor', async () => {
    const { store, cache } = setUp();
    await store.create(`${pods}a/one`, pod('one'));
    await cache.waitFor();
    expect(cache.list(pods).entries.map((e) => e.key)).toEqual([`${pods}a/one`]);
    const revision = await store.create(`${pods}a/two`, pod('two'));
    await cache.waitFor(revision);
    expect(cache.get(`${pods}a/two`)?.value.object.metadata).toEqual({
      name: 'two',
      labels: {},
      resourceVersion: String(revision),
    });
    expect(cache.revision).toBe(revision);
  });

  test('a long list is loaded in pages, and other work runs between them', async () => {
    const { store, feed } = setUp();
    const things = '/registry/things/';
    const keys = Array.from({ length: 3500 }, (_, i) => `${things}${String(i).padStart(4, '0')}`);
    for (const key of keys) await store.create(key, pod(key));
    let [turn, isLoaded] = [0, false];
    const others = (async () => {
      for (; !isLoaded; turn++) await nextTurn();
    })();
    const decoded = new Map<number, number>();
    const cache = feed.cache(things, ({ key }) => {
      decoded.set(turn, (decoded.get(turn) ?? 0) + 1);
      if (key.endsWith('7')) throw new Error('unreadable');
      return key;
    });
    await cache.waitFor();
    isLoaded = true;
    await others;
    expect(cache.list(things).entries.map(({ value }) => value)).toEqual(
      keys.filter((key) => !key.endsWith('7')),
    );
    expect(decoded.size).toBeGreaterThan(1);
    expect(Math.max(...decoded.values())).toBeLessThanOrEqual(500);
  });

  test('a cache knows the size of the stored values', async () => {
    const { store, feed, cache } = setUp();
    await store.create(`${pods}a/one`, pod('one'));
    await cache.waitFor();
    const size = () => feed.usage(pods)?.bytes;
    expect(size()).toBe(pod('one').length);
    await cache.waitFor(await store.create(`${pods}a/two`, pod('two', { a: 'b' })));
    expect(size()).toBe(pod('one').length + pod('two', { a: 'b' }).length);
    const { modRevision } = cache.get(`${pods}a/one`)!;
    await cache.waitFor(await store.update(`${pods}a/one`, pod('one', { c: 'd' }), modRevision));
    await cache.waitFor((await store.delete(`${pods}a/two`)).revision);
    expect(size()).toBe(pod('one', { c: 'd' }).length);
  });

  test('waitFor without a revision waits for the newest write', async () => {
    const { store, cache } = setUp();
    await cache.waitFor();
    void store.create(`${pods}a/one`, pod('one'));
    await cache.waitFor();
    expect(cache.list(pods).entries).toHaveLength(1);
  });

  test('a list is in key order, of one namespace or one key, and never of a resource with a longer name', async () => {
    const { store, feed, cache } = setUp();
    for (const key of ['b/x', 'a/z', 'a/y', 'ab/x']) await store.create(pods + key, pod(key));
    await store.create('/registry/podsx/a/x', pod('x'));
    await cache.waitFor();
    const keys = (prefix: string) => cache.list(prefix).entries.map((e) => e.key.slice(pods.length));
    expect(keys(pods)).toEqual(['a/y', 'a/z', 'ab/x', 'b/x']);
    expect(keys(`${pods}a/`)).toEqual(['a/y', 'a/z']);
    expect(keys(`${pods}a/y`)).toEqual(['a/y']);
    expect(keys(`${pods}a/nothing`)).toEqual([]);
    const longer = feed.objects('/registry/podsx/');
    await longer.waitFor();
    expect(longer.list('/registry/podsx/').entries).toHaveLength(1);
  });

  test('updates and deletions show', async () => {
    const { store, cache } = setUp();
    const created = await store.create(`${pods}a/one`, pod('one'));
    await cache.waitFor();
    const updated = await store.update(`${pods}a/one`, pod('one', { a: 'b' }), created);
    await cache.waitFor(updated);
    expect(cache.get(`${pods}a/one`)?.value.object.metadata.labels).toEqual({ a: 'b' });
    await cache.waitFor((await store.delete(`${pods}a/one`)).revision);
    expect(cache.list(pods)).toEqual({ entries: [], revision: updated + 1, count: 0 });
  });

  test('one decoded object is shared by all readers, its JSON is encoded once', async () => {
    const { store, feed, cache } = setUp();
    const revision = await store.create(`${pods}a/one`, pod('one'));
    await cache.waitFor();
    const { value } = cache.get(`${pods}a/one`)!;
    expect(cache.list(pods).entries[0]!.value).toBe(value);
    expect(value.json()).toBe(value.json());
    expect(value.json().toString()).toBe(
      `{"metadata":{"name":"one","labels":{},"resourceVersion":"${revision}"}}`,
    );
    expect(feed.objects(pods)).toBe(cache);
  });

  test('an eager cache omits a value that is not JSON, and logs it', async () => {
    const warned: object[] = [];
    const { store, feed } = setUp(createMemoryStore(), {
      log: { warn: (_message, about) => warned.push(about ?? {}) },
    });
    await store.create('/registry/things/bad', Buffer.from('{'));
    await store.create('/registry/things/good', Buffer.from('1'));
    const decode = (entry: { value: Uint8Array }) =>
      JSON.parse(Buffer.from(entry.value).toString()) as number;
    const cache = feed.cache('/registry/things/', decode);
    await cache.waitFor();
    expect(cache.list('/registry/things/').entries.map((e) => e.value)).toEqual([1]);
    expect(warned).toMatchObject([{ key: '/registry/things/bad' }]);
  });

  test('a cache larger than a page is loaded whole, at one revision', async () => {
    const { store, cache } = setUp();
    for (let i = 0; i < 12_000; i++) await store.create(`${pods}a/${String(i).padStart(5, '0')}`, pod('x'));
    const loaded = cache.waitFor();
    await store.delete(`${pods}a/11999`);
    await loaded;
    await cache.waitFor();
    const { entries } = cache.list(pods);
    expect([entries.length, entries[0]!.key, entries.at(-1)!.key]).toEqual([
      11_999,
      `${pods}a/00000`,
      `${pods}a/11998`,
    ]);
  });

  test('a revision that does not come is refused as future', async () => {
    const { cache } = setUp(createMemoryStore(), { waitMilliseconds: 5 });
    await expect(cache.waitFor(1000)).rejects.toMatchObject({ code: 'future', revision: 1 });
  });

  test('writes of others than the cache move its revision', async () => {
    const { store, cache } = setUp();
    await cache.waitFor();
    const revision = await store.create('/elsewhere/a', pod('a'));
    await cache.waitFor(revision);
    expect(cache.revision).toBe(revision);
  });
});

describe('subscribing', () => {
  test('history comes first, then new events, each once and in order', async () => {
    const { store, cache } = setUp();
    await cache.waitFor();
    const from = await store.create(`${pods}a/zero`, pod('zero'));
    const one = await store.create(`${pods}a/one`, pod('one'));
    await store.create(`${pods}b/other`, pod('other'));
    await cache.waitFor();
    const { seen, listener } = recorder();
    cache.subscribe(`${pods}a/`, from, listener);
    expect(seen).toEqual([`added a/one ${from + 1}`]);
    await store.update(`${pods}a/one`, pod('one', { a: 'b' }), one);
    await store.delete(`${pods}a/one`);
    await cache.waitFor();
    expect(seen).toEqual([
      `added a/one ${from + 1}`,
      `modified a/one ${from + 3}`,
      `deleted a/one ${from + 4}`,
    ]);
  });

  test('history reaches back to before the cache was first used', async () => {
    const { store, cache } = setUp();
    const one = await store.create(`${pods}a/one`, pod('one'));
    const two = await store.update(`${pods}a/one`, pod('one', { a: 'b' }), one);
    await store.delete(`${pods}a/one`);
    await cache.waitFor();
    const events: CacheEvent<StoredObject>[] = [];
    cache.subscribe(pods, 1, { onEvent: (event) => events.push(event) });
    expect(events.map((e) => [e.type, e.revision, e.value.object.metadata])).toEqual([
      ['added', one, { name: 'one', labels: {}, resourceVersion: String(one) }],
      ['modified', two, { name: 'one', labels: { a: 'b' }, resourceVersion: String(two) }],
      ['deleted', two + 1, { name: 'one', labels: { a: 'b' }, resourceVersion: String(two + 1) }],
    ]);
    expect(events[2]!.previous!.object.metadata.resourceVersion).toBe(String(two));
  });

  test('a subscription to one key receives events of that key only', async () => {
    const { store, cache } = setUp();
    await cache.waitFor();
    const { seen, listener } = recorder();
    cache.subscribe(`${pods}a/one`, cache.revision, listener);
    await store.create(`${pods}a/one`, pod('one'));
    await store.create(`${pods}a/one2`, pod('one2'));
    await store.create(`${pods}a/one/x`, pod('x'));
    await cache.waitFor();
    expect(seen).toEqual(['added a/one 2']);
  });

  test('a subscription from a future revision receives later events', async () => {
    const { store, cache } = setUp();
    await cache.waitFor();
    const { seen, listener } = recorder();
    cache.subscribe(pods, 2, listener);
    await store.create(`${pods}a/one`, pod('one'));
    await store.create(`${pods}a/two`, pod('two'));
    await cache.waitFor();
    expect(seen).toEqual(['added a/two 3']);
  });

  test('an ended subscription receives nothing', async () => {
    const { store, cache } = setUp();
    await cache.waitFor();
    const { seen, listener } = recorder();
    const end = cache.subscribe(pods, cache.revision, listener);
    expect(cache.watchers).toBe(1);
    end();
    end();
    expect(cache.watchers).toBe(0);
    await store.create(`${pods}a/one`, pod('one'));
    await cache.waitFor();
    expect(seen).toEqual([]);
  });

  test('progress is reported when other prefixes change', async () => {
    const { store, cache } = setUp();
    await cache.waitFor();
    const notified = Promise.withResolvers<number>();
    cache.subscribe(pods, cache.revision, { onEvent: () => {}, onProgress: notified.resolve });
    const revision = await store.create('/registry/services/specs/a/b', pod('b'));
    expect(await notified.promise).toBe(revision);
  });

  test('progress is reported in slices, and again if there were changes meanwhile', async () => {
    const { store, feed, cache } = setUp();
    const others = feed.objects('/registry/services/specs/');
    for (const one of [cache, others, feed.objects('/registry/leases/')]) await one.waitFor();
    let last: Promise<number> | undefined;
    const notified: number[] = [];
    const onProgress = (revision: number): void => void notified.push(revision);
    cache.subscribe(pods, cache.revision, { onEvent: () => {}, onProgress });
    others.subscribe('/registry/services/specs/', others.revision, {
      onEvent: () => {},
      onProgress() {
        // Longer than a slice.
        for (const end = performance.now() + 5; performance.now() < end;);
        last ??= store.create('/registry/nodes/b', pod('b'));
      },
    });
    await store.create('/registry/nodes/a', pod('a'));
    await vi.waitFor(async () => expect(notified).toContain(await (last ?? Promise.reject(new Error()))));
  });

  test('old events are removed when no event follows', async () => {
    let now = 0;
    const history = { maxAgeMilliseconds: 1000, minEvents: 1 };
    const options = { history, unusedMilliseconds: 1, clock: { monotonic: () => now } };
    const { store, cache } = setUp(createMemoryStore(), options);
    await cache.waitFor();
    for (const name of ['a', 'b', 'c']) await store.create(pods + name, pod(name));
    await cache.waitFor();
    const { revision } = cache;
    const { listener } = recorder();
    cache.subscribe(pods, revision - 2, listener)();
    now = 1001;
    await vi.waitFor(() => expect(() => cache.subscribe(pods, revision - 2, listener)).toThrow('too old'));
    cache.subscribe(pods, revision - 1, listener)();
  });

  test('objects that are not read drop their decoded form: those of today, replaced and deleted ones', async () => {
    const { store, cache } = setUp(createMemoryStore(), { unusedMilliseconds: 1 });
    await cache.waitFor();
    const seen = new Set<StoredObject>();
    const onEvent = ({ value }: CacheEvent<StoredObject>) => void (seen.add(value), value.line());
    cache.subscribe(pods, cache.revision, { onEvent });
    const created = await store.create(`${pods}a`, pod('a'));
    await store.update(`${pods}a`, pod('a', { n: '1' }), created);
    await store.create(`${pods}b`, pod('b'));
    await store.delete(`${pods}a`);
    await cache.waitFor();
    await vi.waitFor(() =>
      expect([...seen].map(({ isDecoded }) => isDecoded)).toEqual([false, false, false, false]),
    );
    expect([...seen].map(({ object }) => object.metadata.labels)).toEqual([{}, { n: '1' }, {}, { n: '1' }]);
  });

  test('an object that is replaced drops its decoded form after its watches have seen it', async () => {
    const { store, cache } = setUp();
    await cache.waitFor();
    const events: [before: StoredObject | undefined, wasDecoded: boolean | undefined][] = [];
    const onEvent = ({ value, previous }: CacheEvent<StoredObject>): void => {
      void value.object;
      events.push([previous, previous?.isDecoded]);
    };
    cache.subscribe(pods, cache.revision, { onEvent });
    const created = await store.create(`${pods}a`, pod('a'));
    await store.update(`${pods}a`, pod('a', { n: '1' }), created);
    await cache.waitFor();
    const [, [before, wasDecoded] = []] = events;
    expect([wasDecoded, before?.isDecoded]).toEqual([true, false]);
    expect(before?.object.metadata.labels).toEqual({});
  });

  test('history that was dropped is refused as compacted', async () => {
    const { store, cache } = setUp(createMemoryStore(), { history: { maxEvents: 3 } });
    await cache.waitFor();
    for (let i = 0; i < 5; i++) await store.create(`${pods}a/${i}`, pod(`${i}`));
    await cache.waitFor();
    expect(() => cache.subscribe(pods, 2, recorder().listener)).toThrow(StoreError);
    const { seen, listener } = recorder();
    cache.subscribe(pods, 3, listener);
    expect(seen).toEqual(['added a/2 4', 'added a/3 5', 'added a/4 6']);
  });

  test('a failing listener does not keep events from others', async () => {
    const { store, cache } = setUp();
    await cache.waitFor();
    const fail = () => {
      throw new Error('no');
    };
    cache.subscribe(pods, cache.revision, { onEvent: fail });
    const { seen, listener } = recorder();
    cache.subscribe(pods, cache.revision, listener);
    await store.create(`${pods}a/one`, pod('one'));
    await cache.waitFor();
    expect(seen).toEqual(['added a/one 2']);
  });

  test('a listener that subscribes another one hands it each event once', async () => {
    const { store, cache } = setUp();
    await cache.waitFor();
    const { seen, listener } = recorder();
    let subscribed = false;
    cache.subscribe(pods, 1, {
      onEvent: () => {
        if (!subscribed) cache.subscribe(pods, 1, listener);
        subscribed = true;
      },
    });
    await store.create(`${pods}a/one`, pod('one'));
    await store.create(`${pods}a/two`, pod('two'));
    await cache.waitFor();
    expect(seen).toEqual(['added a/one 2', 'added a/two 3']);
  });

  test('a dropped cache ends its subscriptions', async () => {
    const { feed, cache } = setUp();
    await cache.waitFor();
    const { errors, listener } = recorder();
    cache.subscribe(pods, cache.revision, listener);
    feed.forget(pods);
    expect(errors).toMatchObject([{ code: 'unavailable' }]);
    expect(feed.objects(pods)).not.toBe(cache);
  });

  test('closing the feed ends subscriptions with an error', async () => {
    const { feed, cache } = setUp();
    await cache.waitFor();
    const { errors, listener } = recorder();
    cache.subscribe(pods, cache.revision, listener);
    await feed.close();
    expect(errors).toMatchObject([{ code: 'unavailable' }]);
    await expect(cache.waitFor(1000)).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('listeners that read objects', () => {
  // New bytes each time: a store of the memory passes them on, and what is decoded is noted for them.
  const large = () => pod('large', { text: 'a'.repeat(300_000) });
  const follow = async (readsObjects: boolean) => {
    const { store, cache } = setUp();
    await cache.waitFor();
    const events: [name: string, isDecoded: boolean][] = [];
    const onEvent = ({ key, value }: CacheEvent<StoredObject>) =>
      void events.push([key.slice(pods.length), value.isDecoded]);
    const end = cache.subscribe(pods, cache.revision, { readsObjects, onEvent });
    return { store, cache, events, end };
  };

  test('receive large ones decoded, and later ones afterwards', async () => {
    const { store, cache, events } = await follow(true);
    await store.create(`${pods}a/large`, large());
    await cache.waitFor(await store.create(`${pods}a/small`, pod('small')));
    expect(events).toEqual([
      ['a/large', true],
      ['a/small', false],
    ]);
    expect(cache.get(`${pods}a/large`)?.value.object.metadata.name).toBe('large');
  });

  test('receive damaged ones too', async () => {
    const { store, cache, events } = await follow(true);
    await cache.waitFor(await store.create(`${pods}a/large`, large().subarray(0, -1)));
    expect(events).toEqual([['a/large', false]]);
    expect(() => cache.get(`${pods}a/large`)?.value.object).toThrow('is damaged');
  });

  test('cost nothing before they subscribe, and after they end', async () => {
    const others = await follow(false);
    await others.cache.waitFor(await others.store.create(`${pods}a/large`, large()));
    expect(others.events).toEqual([['a/large', false]]);
    const ended = await follow(true);
    ended.end();
    await ended.cache.waitFor(await ended.store.create(`${pods}a/large`, large()));
    expect(ended.cache.get(`${pods}a/large`)?.value.isDecoded).toBe(false);
  });
});
