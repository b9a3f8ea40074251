import type { Entry } from './store.ts';

/**
 * What a watch cache offers to the layers above: the entries of one prefix, decoded once, with their recent history.
 * `T` is the decoded value; decoding happens once per stored revision, and results are shared: never change them.
 * A prefix that ends with a slash means everything below it, one that does not means exactly that key.
 */
export interface WatchCache<T> {
  /**
   * Resolves when the cache shows at least this revision (default: the store's current one at the time of the call).
   * Loads the cache on the first call. Throws StoreError `future` (or `unavailable`) where the revision does not come within 3 seconds.
   */
  waitFor(revision?: number): Promise<void>;
  /** True where {@link WatchCache.waitFor} would find at once that there is nothing to wait for, and this is known. */
  isCurrent(): boolean;
  /** The revision the cache shows, which every subscription was told everything up to; 0 before the first `waitFor`. */
  readonly revision: number;
  /** How many entries it shows. */
  readonly size: number;
  get(key: string): CacheEntry<T> | undefined;
  /** Entries under a prefix of the cache's prefix, in the order of their keys, with the revision they show. */
  list(prefix: string): { entries: CacheEntry<T>[]; revision: number };
  /**
   * Calls `onEvent` for each change after `fromRevision`, history first, synchronously in order; `onProgress` when the
   * cache moved on (coalesced, for bookmarks); `onError` once, last. Throws StoreError `compacted` where history
   * does not reach back. Returns the function that ends it.
   */
  subscribe(prefix: string, fromRevision: number, listener: CacheListener<T>): () => void;
  /** How many subscriptions are open. */
  readonly watchers: number;
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
  /** The value after the change; for `deleted` the last value, as of the revision of the deletion. */
  value: T;
  /** The value before the change, for `modified` and `deleted`; absent where only the store knew it and forgot it. */
  previous?: T;
}

export interface CacheListener<T> {
  onEvent(event: CacheEvent<T>): void;
  onProgress?(revision: number): void;
  onError?(error: Error): void;
}

/** Turns a stored entry into the cached value. Runs once per entry and revision. */
export type DecodeEntry<T> = (entry: Entry) => T;
