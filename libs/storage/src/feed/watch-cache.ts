import { pushAll } from '@annex/machinery';
import { createPacer, ownTurn } from '@annex/runtime';
import type {
  CacheEntry,
  CacheEvent,
  CacheListener,
  CacheSnapshot,
  DecodeEntry,
  WatchCache,
} from '../cache-types.ts';
import { EventHistory, type EventHistoryOptions } from './event-history.ts';
import { SortedMap } from '../sorted-map.ts';
import { type Entry, type Store, StoreError, type StoreEvent } from '../store.ts';
import type { PastEvent } from './past-event.ts';
import { Snapshot } from './snapshot.ts';
import { Subscriptions } from './subscriptions.ts';

/** Returns the value of a deleted event: the last value, with the revision of the deletion. */
export type AtRevision<T> = (value: T, revision: number) => T;

/** Frees what can be computed again of a value; it stays readable. */
export interface Dropping<T> {
  /** Frees what nothing has read since the last call. */
  unused(value: T): void;
  /** Frees the parts of a value that another one replaced: hardly anybody reads it again. */
  replaced(value: T): void;
}

/** What a cache needs from its feed. */
export interface FeedSide {
  /** Events up to this revision were passed to `receive`. */
  revision(): number;
  /** Resolves when `revision` is at least this; default: the store's current revision. */
  reached(revision?: number): Promise<void>;
  /** True if all writes so far are known to have been passed to `receive`. */
  isCurrent(): boolean;
  /** Returns the recent events under a prefix, complete after `floor`. */
  recent(prefix: string): { floor: number; events: StoreEvent[] };
  now(): number;
  warn(message: string, about: Record<string, unknown>): void;
}

interface CacheOptions<T> {
  store: Store;
  feed: FeedSide;
  prefix: string;
  decode: DecodeEntry<T>;
  atRevision?: AtRevision<T> | undefined;
  dropping?: Dropping<T> | undefined;
  history?: EventHistoryOptions | undefined;
}

interface SizedEntry<T> extends CacheEntry<T> {
  /** Bytes of the stored value. */
  bytes: number;
}

/** The cache of one prefix. {@link FeedCache.receive} updates it, and it loads on first use. */
export class FeedCache<T> implements WatchCache<T> {
  readonly prefix: string;
  readonly #options: CacheOptions<T>;
  readonly #entries = new SortedMap<SizedEntry<T>>();
  #bytes = 0;
  readonly #subscriptions: Subscriptions<T>;
  #history: EventHistory<PastEvent<T>>;
  /** Events that arrive while the list is loading; undefined afterwards. */
  #pending: StoreEvent[] | undefined;
  #loading: Promise<void> | undefined;
  #loaded = false;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
    this.prefix = options.prefix;
    this.#history = new EventHistory(Infinity, options.history);
    this.#subscriptions = new Subscriptions(this.prefix, (message, about) =>
      options.feed.warn(message, about),
    );
  }

  get watchers(): number {
    return this.#subscriptions.size;
  }

  /** True if a listener reads the objects of its events. */
  get hasReaders(): boolean {
    return this.#subscriptions.haveReaders;
  }

  watchersOf(folder: string, key: string): number {
    const prefixes = new Set([this.prefix, folder, key]);
    let watchers = 0;
    for (const prefix of prefixes) watchers += this.#subscriptions.sizeOf(prefix);
    return watchers;
  }

  get revision(): number {
    return this.#loaded ? this.#options.feed.revision() : 0;
  }

  async waitFor(revision?: number): Promise<void> {
    const { feed } = this.#options;
    if (!this.#loaded || this.#pending) await this.load();
    if (revision === undefined || revision > feed.revision()) await feed.reached(revision);
    // The history that the feed follows may have been compacted concurrently.
    if (this.#pending) await this.waitFor(revision);
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  isCurrent(): boolean {
    return this.#loaded && this.#pending === undefined && this.#options.feed.isCurrent();
  }

  get(key: string): CacheEntry<T> | undefined {
    return this.#entries.get(key);
  }

  list(prefix: string, limit?: number): { entries: CacheEntry<T>[]; revision: number; count: number } {
    const { revision } = this;
    if (prefix.endsWith('/')) {
      const entries = this.#entries.values(prefix, limit);
      const count = limit === undefined ? entries.length : this.#entries.count(prefix, prefix);
      return { entries, revision, count };
    }
    const entry = this.#entries.get(prefix);
    return { entries: entry ? [entry] : [], revision, count: entry ? 1 : 0 };
  }

  snapshot(prefix: string, revision: number): CacheSnapshot<T> | undefined {
    // What the store has forgotten is gone, as after a compaction of etcd.
    if (revision < (this.#options.store.compacted ?? 0)) return undefined;
    if (revision > this.revision || this.#eventsAfter(revision) === undefined) return undefined;
    const after = (since: number) => this.#eventsAfter(since);
    return new Snapshot({ entries: this.#entries, after }, prefix, revision);
  }

  /** Returns the events after a revision, `undefined` if they are not known. */
  #eventsAfter(revision: number): PastEvent<T>[] | undefined {
    const isKnown = this.#loaded && this.#pending === undefined && revision >= this.#history.floor;
    return isKnown ? this.#history.after(revision) : undefined;
  }

  subscribe(prefix: string, fromRevision: number, listener: CacheListener<T>): () => void {
    if (!this.#loaded || this.#pending) throw new StoreError('unavailable', `${this.prefix} is not loaded`);
    const { floor } = this.#history;
    if (fromRevision < floor) {
      throw new StoreError('compacted', `revision ${fromRevision} is too old, the oldest is ${floor}`, {
        revision: floor,
      });
    }
    return this.#subscriptions.add(prefix, { fromRevision, listener }, this.#history.after(fromRevision));
  }

  /** Loads the list, once; later calls wait for the first. */
  load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** Applies the events of one batch, all of them under the prefix. */
  receive(events: readonly StoreEvent[]): void {
    if (this.#pending) {
      pushAll(this.#pending, events);
      return;
    }
    if (!this.#loaded) return;
    for (const event of events) this.#apply(event);
  }

  /** Reports progress to subscriptions: everything up to the revision was delivered. */
  announce(revision: number): void {
    if (this.#loaded && !this.#pending) this.#subscriptions.announce(revision);
  }

  /** Removes events that are too old, and frees unused parts of values. Yields after each part of the work. */
  *dropUnused(): Generator<void> {
    const { dropping, feed } = this.#options;
    this.#history.removeOld(feed.now());
    if (dropping === undefined) return;
    for (const entries of this.#entries.parts()) {
      for (const { value } of entries) dropping.unused(value);
      yield;
    }
    for (const event of this.#history) {
      if (typeof event === 'function') continue;
      // All other values are those of entries, or the previous ones of later events.
      if (event.type === 'deleted') dropping.unused(event.value);
      if (event.previous !== undefined) dropping.unused(event.previous);
    }
  }

  /** Ends all subscriptions, and drops all entries unless `reload` is true. */
  fail(error: Error, reload: boolean): void {
    const ended = this.#subscriptions.clear();
    const wasUsed = this.#loaded || this.#loading !== undefined;
    this.#loading = undefined;
    // Readers see the old list until the new one is loaded.
    this.#pending = undefined;
    if (!reload) {
      this.#loaded = false;
      this.#clear();
    } else if (wasUsed) {
      this.#pending = [];
      this.load().catch((cause: unknown) => {
        this.#options.feed.warn('a watch cache could not be reloaded', { prefix: this.prefix, error: cause });
      });
    }
    for (const listener of ended) listener.onError?.(error);
  }

  async #load(): Promise<void> {
    const { store, feed, prefix, history } = this.#options;
    await feed.reached(0);
    const { floor, events } = feed.recent(prefix);
    const pending = [...events];
    this.#pending = pending;
    const loaded = new SortedMap<SizedEntry<T>>();
    let bytes = 0;
    const revision = await listAll(store, prefix, (entry) => {
      const cached = this.#decode(entry);
      if (cached === undefined) return;
      loaded.set(cached.key, cached);
      bytes += cached.bytes;
    });
    await feed.reached(revision);
    if (this.#pending !== pending) return this.#overtaken();
    this.#history = new EventHistory(floor, history);
    this.#entries.takeOver(loaded);
    this.#bytes = bytes;
    const pace = createPacer();
    // Further events are added meanwhile.
    for (let i = 0; i < pending.length; i++) {
      const event = pending[i]!;
      if (event.entry.modRevision > revision) this.#apply(event);
      else this.#appendHistory(event);
      const paused = pace();
      if (paused === undefined) continue;
      await paused;
      if (this.#pending !== pending) return this.#overtaken();
    }
    this.#pending = undefined;
    this.#loaded = true;
  }

  /** Handles a loss of history during the load: another load is running, or the cache is closed. */
  #overtaken(): Promise<void> {
    if (this.#loading) return this.#loading;
    throw new StoreError('unavailable', `${this.prefix} was closed while it was loading`);
  }

  #put(entry: Entry): CacheEntry<T> | undefined {
    const cached = this.#decode(entry);
    if (cached === undefined) {
      this.#delete(entry.key);
      return undefined;
    }
    this.#bytes += cached.bytes - (this.#entries.get(cached.key)?.bytes ?? 0);
    this.#entries.set(cached.key, cached);
    return cached;
  }

  #decode(entry: Entry): SizedEntry<T> | undefined {
    const { key, modRevision, value } = entry;
    try {
      return { key, modRevision, value: this.#options.decode(entry), bytes: value.length };
    } catch (error) {
      this.#options.feed.warn('a stored value cannot be decoded', { key, error });
      return undefined;
    }
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #clear(): void {
    this.#bytes = 0;
    this.#entries.clear();
  }

  /** Keeps an event that the loaded list already includes. It is decoded when a subscription reads it. */
  #appendHistory(event: StoreEvent): void {
    const { key, modRevision } = event.entry;
    if (event.type === 'delete' && !event.previous) {
      this.#history.floor = Math.max(this.#history.floor, modRevision);
      return;
    }
    let decoded: CacheEvent<T> | undefined;
    const decode = (entry: Entry) => {
      const cached = this.#entries.get(entry.key);
      return cached?.modRevision === entry.modRevision ? cached.value : this.#options.decode(entry);
    };
    this.#history.push(
      modRevision,
      () => (decoded ??= this.#pastEvent(event, key, modRevision, decode)),
      this.#options.feed.now(),
    );
  }

  #pastEvent(event: StoreEvent, key: string, revision: number, decode: DecodeEntry<T>): CacheEvent<T> {
    const previous = event.previous && decode(event.previous);
    if (event.type === 'delete') return this.#deletion(key, revision, previous!);
    const value = decode(event.entry);
    return previous === undefined
      ? { type: event.entry.createRevision === revision ? 'added' : 'modified', key, revision, value }
      : { type: 'modified', key, revision, value, previous };
  }

  #apply(event: StoreEvent): void {
    const { key, modRevision: revision } = event.entry;
    const previous = this.#entries.get(key);
    const current = event.type === 'put' ? this.#put(event.entry) : undefined;
    if (!current) {
      this.#delete(key);
      if (previous) this.#emit(this.#deletion(key, revision, previous.value));
    } else if (previous) {
      this.#emit({ type: 'modified', key, revision, value: current.value, previous: previous.value });
      // The history keeps it: its decoded form would be copied by the garbage collector, and promoted.
      this.#options.dropping?.replaced(previous.value);
    } else {
      this.#emit({ type: 'added', key, revision, value: current.value });
    }
  }

  #deletion(key: string, revision: number, previous: T): CacheEvent<T> {
    const { atRevision } = this.#options;
    const value = atRevision ? atRevision(previous, revision) : previous;
    return { type: 'deleted', key, revision, value, previous };
  }

  #emit(event: CacheEvent<T>): void {
    this.#history.push(event.revision, event, this.#options.feed.now());
    this.#subscriptions.emit(event);
  }
}

/** Entries of a page: a store, or its client, reads a page in one turn of the event loop. */
const pageLimit = 250;

/**
 * Visits the entries of a whole prefix at one revision, in pages, each in a turn of the event loop. Resolves to the revision.
 */
async function listAll(store: Store, prefix: string, visit: (entry: Entry) => void): Promise<number> {
  let page = await store.list(prefix, { limit: pageLimit, uncounted: true });
  const { revision } = page;
  for (;;) {
    for (const entry of page.entries) visit(entry);
    const last = page.entries.at(-1);
    if (!page.more || last === undefined) return revision;
    await ownTurn();
    page = await store.list(prefix, {
      limit: pageLimit,
      uncounted: true,
      startKey: `${last.key}\0`,
      revision,
    });
  }
}
