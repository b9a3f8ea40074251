import { afterEach } from 'vitest';
import type { CacheEvent, CacheListener } from '../cache-types.ts';
import { createMemoryStore } from '../memory-store.ts';
import type { Store } from '../store.ts';
import { createFeed, type Feed, type FeedOptions } from './feed.ts';
import type { StoredObject } from './stored-object.ts';

/** The prefix of the keys. */
export const pods = '/registry/pods/';
/** The stored bytes of an object. */
export const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
/** The stored bytes of a Pod. */
export const pod = (name: string, labels: Record<string, string> = {}) =>
  bytes({ metadata: { name, labels } });

let open: { feed: Feed; store: Store }[] = [];
afterEach(async () => {
  for (const { feed, store } of open) {
    await feed.close();
    await store.close();
  }
  open = [];
});

/** A feed over a store; both are closed after the test. */
export function setUp(store: Store = createMemoryStore(), options: FeedOptions = {}) {
  const feed = createFeed(store, { progressMilliseconds: 1, ...options });
  open.push({ feed, store });
  return { store, feed, cache: feed.objects(pods) };
}

/** Records the events and errors of a subscription. */
export function recorder() {
  const seen: string[] = [];
  const errors: Error[] = [];
  const listener: CacheListener<StoredObject> = {
    onEvent: (e: CacheEvent<StoredObject>) =>
      seen.push(`${e.type} ${e.key.slice(pods.length)} ${e.revision}`),
    onError: (error) => errors.push(error),
  };
  return { seen, errors, listener };
}
