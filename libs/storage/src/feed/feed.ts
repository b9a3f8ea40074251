import { type Clock, eachInSlices, type Logger, ownTurn, pause, systemClock } from '@annex/runtime';
import type { CacheUsage, DecodeEntry, WatchCache } from '../cache-types.ts';
import { EventHistory, type EventHistoryOptions } from './event-history.ts';
import { prefixesOf } from './prefixes.ts';
import { type Store, StoreError, type StoreEvent, type WatchBatch } from '../store.ts';
import { decodeAhead, isLargeValue, StoredObject } from './stored-object.ts';
import { UnreadableObject } from './unreadable-object.ts';
import { type AtRevision, type Dropping, FeedCache } from './watch-cache.ts';

const root = '/registry/';

/** Decoded objects that were not read for this long are dropped; their bytes are kept. */
const unusedMs = 30_000;
/** So many parts of caches, of a few hundred entries each, are searched in one turn of the event loop. */
const partsAtOnce = 16;

/**
 * Undecoded events of all resources that are kept for caches that are not loaded yet. On start the feed reads
 * this many revisions of history, so that watches of clients survive a restart.
 */
const rawHistory = 1000;

/** Milliseconds to catch up with the store at the start. On a busy machine, the first watch takes seconds. */
export const feedStartTimeoutMs = 30_000;

/** The options of a feed. */
export interface FeedOptions {
  clock?: Pick<Clock, 'monotonic'>;
  log?: Pick<Logger, 'warn'>;
  /** How many recent events each cache keeps for watches that start in the past. */
  history?: EventHistoryOptions;
  /** The shortest interval between progress notifications of subscriptions. Default 250 ms. */
  progressMilliseconds?: number;
  /** How long a reader waits for a missing revision. Default 3 s, as in kube-apiserver. */
  waitMilliseconds?: number;
  /** The interval between searches for unused decoded objects. Default 30 s. */
  unusedMilliseconds?: number;
  /** How long the start waits for the current revision of the store. */
  startMilliseconds?: number;
}

/**
 * Follows everything under `/registry/` of a store with one watch, and updates the watch caches of this
 * process. It starts on first use, reconnects after failures, and reloads everything if the history it needs
 * was compacted.
 */
export interface Feed {
  /** Connects and catches up with the store. */
  start(): Promise<void>;
  /** Everything up to this revision reached the caches. */
  readonly revision: number;
  /** Resolves when `revision` is at least this; default: the current revision of the store. */
  reached(revision?: number): Promise<void>;
  /**
   * Returns the single cache of a prefix, which must lie under `/registry/` and end with a slash. It loads on
   * its first `waitFor`.
   */
  cache<T>(prefix: string, decode: DecodeEntry<T>): WatchCache<T>;
  /** Returns the single cache of the Kubernetes objects under a prefix. */
  objects(prefix: string): WatchCache<StoredObject>;
  /** Returns how a cache is used; `undefined` if it has not been asked for. Loads nothing. */
  usage(prefix: string): CacheUsage | undefined;
  /** Ends a cache that is no longer needed, and its subscriptions. */
  forget(prefix: string): void;
  /** Ends all caches and subscriptions. */
  close(): Promise<void>;
}

/** Creates a feed over a store. The store stays open when the feed is closed. */
export function createFeed(store: Store, options: FeedOptions = {}): Feed {
  return new StoreFeed(store, options);
}

interface Waiter {
  revision: number;
  resolve(): void;
  reject(error: Error): void;
}

const decodeObject: DecodeEntry<StoredObject> = (entry) =>
  entry.unreadable === undefined ? new StoredObject(entry) : new UnreadableObject(entry, entry.unreadable);
const objectAt: AtRevision<StoredObject> = (object, revision) => object.at(revision);
const objectDropping: Dropping<StoredObject> = {
  unused: (object) => object.dropUnused(),
  replaced: (object) => object.drop(),
};

interface Registration {
  cache: FeedCache<unknown>;
  decode: DecodeEntry<unknown>;
}

class StoreFeed implements Feed {
  revision = 0;
  readonly #store: Store;
  readonly #options: FeedOptions;
  readonly #registrations = new Map<string, Registration>();
  readonly #stop = new AbortController();
  #waiters: Waiter[] = [];
  #history = new EventHistory<StoreEvent>(Infinity);
  #running: Promise<void> | undefined;
  #started: Promise<void> | undefined;
  #received = false;
  #announcing: NodeJS.Timeout | undefined;
  #dropping: NodeJS.Timeout | undefined;

  constructor(store: Store, options: FeedOptions) {
    this.#store = store;
    this.#options = options;
  }

  start(): Promise<void> {
    this.#started ??= this.#begin().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  cache<T>(prefix: string, decode: DecodeEntry<T>): WatchCache<T> {
    return this.#cache(prefix, decode);
  }

  #cache<T>(
    prefix: string,
    decode: DecodeEntry<T>,
    atRevision?: AtRevision<T>,
    dropping?: Dropping<T>,
  ): WatchCache<T> {
    const known = this.#registrations.get(prefix);
    if (known) {
      if (known.decode !== decode) throw new Error(`the cache of ${prefix} uses another decode function`);
      return known.cache as unknown as WatchCache<T>;
    }
    if (!prefix.startsWith(root) || !prefix.endsWith('/')) throw new Error(`${prefix} cannot be cached`);
    const cache = new FeedCache<T>({
      store: this.#store,
      feed: this.#side,
      prefix,
      decode,
      atRevision,
      dropping,
      history: this.#options.history,
    });
    this.#registrations.set(prefix, { cache: cache as unknown as FeedCache<unknown>, decode });
    return cache;
  }

  objects(prefix: string): WatchCache<StoredObject> {
    return this.#cache(prefix, decodeObject, objectAt, objectDropping);
  }

  usage(prefix: string): CacheUsage | undefined {
    return this.#registrations.get(prefix)?.cache;
  }

  forget(prefix: string): void {
    const known = this.#registrations.get(prefix);
    this.#registrations.delete(prefix);
    known?.cache.fail(new StoreError('unavailable', `${prefix} is no longer served`), false);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#announcing);
    clearTimeout(this.#dropping);
    const error = closedError();
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
    for (const { cache } of this.#registrations.values()) cache.fail(error, false);
    await this.#running;
  }

  readonly #side = {
    revision: () => this.revision,
    reached: (revision?: number) => this.reached(revision),
    isCurrent: () => !this.#stop.signal.aborted && (this.#store.revision ?? Infinity) <= this.revision,
    recent: (prefix: string) => ({
      floor: this.#history.floor,
      events: this.#history.matching((event) => event.entry.key.startsWith(prefix)),
    }),
    now: () => this.#now(),
    warn: (message: string, about: Record<string, unknown>) => this.#options.log?.warn(message, about),
  };

  async #begin(): Promise<void> {
    if (this.#stop.signal.aborted) throw closedError();
    const current = await this.#store.currentRevision();
    if (!this.#running) {
      this.#resetTo(Math.max(1, current - rawHistory));
      this.#running = this.#follow();
      this.#dropUnusedLater();
    }
    await this.#wait(current, this.#options.startMilliseconds ?? feedStartTimeoutMs);
  }

  /** Watches until the feed is closed; retries after every failure. */
  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    for (let failures = 0; !signal.aborted;) {
      try {
        const batches = this.#store.watch(root, { fromRevision: this.revision, signal, progress: true });
        for await (const batch of batches) {
          failures = 0;
          for (const event of batch.events)
            if (isLargeValue(event.entry) && this.#isRead(event)) await decodeAhead(event.entry);
          this.#receive(batch);
        }
      } catch (error) {
        if (signal.aborted) return;
        failures = await this.#recover(error, failures);
      }
    }
  }

  async #recover(error: unknown, failures: number): Promise<number> {
    if (error instanceof StoreError && error.code === 'compacted' && error.revision !== undefined) {
      this.#restart(error, error.revision);
      return failures;
    }
    this.#options.log?.warn('the watch of the store failed and is retried', { error, failures });
    await pause(Math.min(5000, 50 * 2 ** failures), this.#stop.signal);
    return failures + 1;
  }

  /**
   * Continues from the start of the store's history. There may be gaps to earlier events, so the caches
   * reload.
   */
  #restart(error: StoreError, compacted: number): void {
    const { revision } = this;
    this.#resetTo(compacted);
    // On start the feed only probes how far back history goes: it may end at the current revision, and no
    // event follows.
    if (!this.#received) return this.#wake();
    this.#options.log?.warn('the history was compacted, caches are reloaded', { revision, compacted });
    for (const { cache } of this.#registrations.values()) cache.fail(error, true);
  }

  #resetTo(revision: number): void {
    this.revision = revision;
    this.#history = new EventHistory<StoreEvent>(revision, {
      ...this.#options.history,
      maxEvents: rawHistory,
    });
  }

  #receive(batch: WatchBatch): void {
    this.#received = true;
    const now = this.#now();
    if (batch.events.length > 0) {
      for (const event of batch.events) this.#history.push(event.entry.modRevision, event, now);
      for (const [cache, events] of this.#byCache(batch.events)) cache.receive(events);
    }
    this.revision = Math.max(this.revision, batch.revision);
    this.#wake();
    this.#announceSoon();
  }

  /** True if a listener reads the object of an event. */
  #isRead({ type, entry: { key } }: StoreEvent): boolean {
    if (type !== 'put') return false;
    return prefixesOf(key, root.length + 1).some(
      (prefix) => this.#registrations.get(prefix)?.cache.hasReaders === true,
    );
  }

  #byCache(events: readonly StoreEvent[]): Map<FeedCache<unknown>, StoreEvent[]> {
    const found = new Map<FeedCache<unknown>, StoreEvent[]>();
    for (const event of events) {
      for (const prefix of prefixesOf(event.entry.key, root.length + 1)) {
        const cache = this.#registrations.get(prefix)?.cache;
        if (!cache) continue;
        const own = found.get(cache);
        if (own) own.push(event);
        else found.set(cache, [event]);
      }
    }
    return found;
  }

  #wake(): void {
    if (this.#waiters.length === 0) return;
    const waiting = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiting) {
      if (waiter.revision <= this.revision) waiter.resolve();
      else this.#waiters.push(waiter);
    }
  }

  #announceSoon(): void {
    this.#announcing ??= setTimeout(
      () => void this.#announce(),
      this.#options.progressMilliseconds ?? 250,
    ).unref();
  }

  /** Reports progress to all caches, in slices. */
  async #announce(): Promise<void> {
    const { revision } = this;
    const { signal } = this.#stop;
    await eachInSlices(this.#registrations.values(), ({ cache }) => {
      if (!signal.aborted) cache.announce(revision);
    });
    if (signal.aborted) return;
    this.#announcing = undefined;
    if (revision < this.revision) this.#announceSoon();
  }

  #dropUnusedLater(): void {
    if (this.#stop.signal.aborted) return;
    const search = (): void => void this.#dropUnused().then(() => this.#dropUnusedLater());
    this.#dropping = setTimeout(search, this.#options.unusedMilliseconds ?? unusedMs).unref();
  }

  /** Frees what nothing has read in the caches since the last call, in slices. */
  async #dropUnused(): Promise<void> {
    this.#history.removeOld(this.#now());
    let parts = 0;
    for (const { cache } of [...this.#registrations.values()])
      for (const _ of cache.dropUnused()) if (++parts % partsAtOnce === 0) await ownTurn();
  }

  async reached(revision?: number): Promise<void> {
    if (this.#stop.signal.aborted) throw closedError();
    await this.start();
    const expected = revision ?? (await this.#store.currentRevision());
    if (expected > this.revision) await this.#wait(expected, this.#options.waitMilliseconds ?? 3000);
  }

  #wait(revision: number, milliseconds: number): Promise<void> {
    if (revision <= this.revision) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { revision, resolve, reject };
    const timer = setTimeout(() => {
      this.#waiters = this.#waiters.filter((other) => other !== waiter);
      void this.#missing(revision).then(reject);
    }, milliseconds).unref();
    this.#waiters.push(waiter);
    return promise.finally(() => clearTimeout(timer));
  }

  /** Returns why a revision did not arrive: it was never written, or the watch of the store is behind. */
  async #missing(revision: number): Promise<StoreError> {
    const current = await this.#store.currentRevision().catch(() => undefined);
    if (current === undefined || current >= revision) {
      return new StoreError('unavailable', `the watch of the store is at revision ${this.revision}`);
    }
    return new StoreError('future', `revision ${revision} does not exist yet, the newest is ${current}`, {
      revision: current,
    });
  }

  #now(): number {
    return (this.#options.clock ?? systemClock).monotonic();
  }
}

function closedError(): StoreError {
  return new StoreError('unavailable', 'the feed is closed');
}
