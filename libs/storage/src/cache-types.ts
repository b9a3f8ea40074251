import type { Entry } from './store.ts';

/**
 * A watch cache: the entries of one prefix, decoded once, with their recent history. `T` is the decoded
 * value. Each stored revision is decoded once, and readers share the result: never change it. A prefix with a
 * trailing slash covers every key below it; without one, exactly that key.
 */
export interface WatchCache<T> {
  /**
   * Resolves when the cache shows at least this revision (default: the store's current one at the time of the
   * call). Loads the cache on the first call. Throws StoreError `future` (or `unavailable`) if the revision
   * does not arrive within 3 seconds.
   */
  waitFor(revision?: number): Promise<void>;
  /** True if {@link WatchCache.waitFor} is known to have nothing to wait for. */
  isCurrent(): boolean;
  /**
   * The revision of the cache; subscriptions have received every event up to it. 0 before the first
   * `waitFor`.
   */
  readonly revision: number;
  /** The number of entries. */
  readonly size: number;
  get(key: string): CacheEntry<T> | undefined;
  /**
   * Returns the entries under a prefix within the cache's prefix, or the first ones of them, in key order, with their revision and the
   * number of all.
   */
  list(prefix: string, limit?: number): { entries: CacheEntry<T>[]; revision: number; count: number };
  /**
   * Returns the entries under a prefix at an earlier revision; `undefined` if the history does not reach back that far, or the cache has
   * not reached the revision.
   */
  snapshot(prefix: string, revision: number): CacheSnapshot<T> | undefined;
  /**
   * Calls `onEvent` for each change after `fromRevision`, history first, synchronously in order; `onProgress`
   * when the cache advances (coalesced, for bookmarks); `onError` once, last. Throws StoreError `compacted`
   * if history does not reach back that far. Returns the function that ends the subscription.
   */
  subscribe(prefix: string, fromRevision: number, listener: CacheListener<T>): () => void;
  /** The number of open subscriptions. */
  readonly watchers: number;
}

/** The entries under a prefix at one revision. */
export interface CacheSnapshot<T> {
  /**
   * Returns the first entries from a key on, in key order; `undefined` if the history that this takes was dropped since: the store may
   * have it.
   */
  page(startKey: string, limit: number): { key: string; value: T }[] | undefined;
  /** The number of entries from a key on, after the first page was read. */
  count(startKey: string): number;
}

/** How much a cache holds, and for how many readers. */
export interface CacheUsage {
  /** The number of entries. */
  readonly size: number;
  /** The sum of the sizes of the stored values. */
  readonly bytes: number;
  /** Returns the number of open subscriptions that get the changes of a key in this folder, which ends with a slash. */
  watchersOf(folder: string, key: string): number;
}

export interface CacheEntry<T> {
  key: string;
  modRevision: number;
  value: T;
}

export interface CacheEvent<T> {
  type: 'added' | 'modified' | 'deleted';
  key: string;
  revision: number;
  /** The value after the change; for `deleted` the last value, with the revision of the deletion. */
  value: T;
  /**
   * The value before the change, for `modified` and `deleted`; absent if only the store had it and compacted
   * it.
   */
  previous?: T;
}

export interface CacheListener<T> {
  /** `onEvent` reads the objects: large ones are decoded in passes before, while later events wait. */
  readonly readsObjects?: boolean;
  onEvent(event: CacheEvent<T>): void;
  onProgress?(revision: number): void;
  onError?(error: Error): void;
}

/** Decodes a stored entry to the cached value. Runs once per entry and revision. */
export type DecodeEntry<T> = (entry: Entry) => T;
