import { describe, expect, test } from 'vitest';
import { createMemoryStore } from '../memory-store.ts';
import { type Store, StoreError, type WatchBatch, type WatchOptions } from '../store.ts';
import { feedStartTimeoutMs } from './feed.ts';
import { pod, pods, recorder, setUp } from './feed.fixture.ts';

/** A store whose watches a test can interrupt, as a network can. */
function fragile(inner: Store) {
  let cut = () => {};
  let down = false;
  async function* watch(prefix: string, options: WatchOptions): AsyncGenerator<WatchBatch> {
    if (down) throw new StoreError('unavailable', 'not reached');
    const broken = Promise.withResolvers<never>();
    cut = () => broken.reject(new StoreError('unavailable', 'connection lost'));
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, options.signal]);
    const batches = inner.watch(prefix, { ...options, signal })[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await Promise.race([batches.next(), broken.promise]);
        if (next.done) return;
        yield next.value;
      }
    } finally {
      stop.abort();
    }
  }
  const store: Store = {
    capabilities: inner.capabilities,
    currentRevision: () => inner.currentRevision(),
    get: (...args) => inner.get(...args),
    list: (...args) => inner.list(...args),
    create: (...args) => inner.create(...args),
    update: (...args) => inner.update(...args),
    delete: (...args) => inner.delete(...args),
    compact: (...args) => inner.compact(...args),
    close: () => inner.close(),
    watch,
  };
  return {
    store,
    cut() {
      down = true;
      cut();
    },
    mend() {
      down = false;
    },
  };
}

describe('starting', () => {
  test('a start waits for a slow store longer than readers do', async () => {
    const { store, cut, mend } = fragile(createMemoryStore());
    // The watch is opened again after 50 ms.
    const { feed } = setUp(store, { waitMilliseconds: 1, log: { warn: mend } });
    await store.create(`${pods}a/one`, pod('one'));
    cut();
    await feed.start();
    expect(feed.revision).toBe(2);
  });

  test('a start ends when the watch of the store does not come', async () => {
    const { store, cut } = fragile(createMemoryStore());
    const { feed } = setUp(store, { startMilliseconds: 5 });
    await store.create(`${pods}a/one`, pod('one'));
    cut();
    await expect(feed.start()).rejects.toMatchObject({ code: 'unavailable' });
    expect(feedStartTimeoutMs).toBe(30_000);
  });
});

describe('recovering', () => {
  test('a revision that cannot come because the store is not reached is refused as unavailable', async () => {
    const { store, cut } = fragile(createMemoryStore());
    const { cache } = setUp(store, { waitMilliseconds: 20 });
    await cache.waitFor();
    cut();
    const revision = await store.create(`${pods}a/one`, pod('one'));
    await expect(cache.waitFor(revision)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('a broken watch continues without lost or repeated events', async () => {
    const { store, cut, mend } = fragile(createMemoryStore());
    const { cache } = setUp(store);
    await cache.waitFor();
    const { seen, errors, listener } = recorder();
    cache.subscribe(pods, cache.revision, listener);
    await cache.waitFor(await store.create(`${pods}a/one`, pod('one')));
    cut();
    await store.create(`${pods}a/two`, pod('two'));
    mend();
    await cache.waitFor();
    expect(seen).toEqual(['added a/one 2', 'added a/two 3']);
    expect(errors).toEqual([]);
  });

  test('subscriptions end and the cache reloads if history was compacted', async () => {
    const { store, cut, mend } = fragile(createMemoryStore());
    const { cache } = setUp(store);
    await store.create(`${pods}a/one`, pod('one'));
    await store.create(`${pods}a/two`, pod('two'));
    await cache.waitFor();
    const { seen, errors, listener } = recorder();
    cache.subscribe(pods, cache.revision, listener);
    cut();
    await store.delete(`${pods}a/one`);
    const compacted = await store.create(`${pods}a/three`, pod('three'));
    await store.create(`${pods}a/four`, pod('four'));
    await store.compact(compacted);
    mend();
    await cache.waitFor();
    expect(cache.list(pods).entries.map((e) => e.key.slice(pods.length))).toEqual([
      'a/four',
      'a/three',
      'a/two',
    ]);
    expect(seen).toEqual([]);
    expect(errors).toMatchObject([{ code: 'compacted' }]);
    cache.subscribe(pods, compacted, listener);
    expect(seen).toEqual([`added a/four ${compacted + 1}`]);
  });

  test('a feed starts on a store whose history is short', async () => {
    const store = createMemoryStore();
    for (let i = 0; i < 20; i++) await store.create(`${pods}a/${i}`, pod(`${i}`));
    await store.compact(10);
    const { cache } = setUp(store);
    await cache.waitFor();
    expect(cache.list(pods).entries).toHaveLength(20);
    expect(() => cache.subscribe(pods, 5, recorder().listener)).toThrow('too old');
    const { seen, listener } = recorder();
    cache.subscribe(pods, 19, listener);
    expect(seen).toEqual(['added a/18 20', 'added a/19 21']);
  });
});
