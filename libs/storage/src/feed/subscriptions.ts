import type { CacheEvent, CacheListener } from '../cache-types.ts';
import { covers, prefixesOf } from './prefixes.ts';
import { type PastEvent, readEvent } from './past-event.ts';

interface Subscription<T> {
  /** The listener knows everything up to this revision. */
  fromRevision: number;
  listener: CacheListener<T>;
}

/** The listeners of one cache, by the prefix that they follow: an event is passed to those of its key, and of each folder of its key. */
export class Subscriptions<T> {
  readonly #root: string;
  readonly #warn: (message: string, about: Record<string, unknown>) => void;
  readonly #groups = new Map<string, Set<Subscription<T>>>();
  #size = 0;
  #readers = 0;

  /** @param root the prefix of the cache; @param warn is called when a listener throws */
  constructor(root: string, warn: (message: string, about: Record<string, unknown>) => void) {
    this.#root = root;
    this.#warn = warn;
  }

  get size(): number {
    return this.#size;
  }

  /** Returns whether a listener reads the objects of its events. */
  get haveReaders(): boolean {
    return this.#readers > 0;
  }

  /** Returns the number of listeners that follow exactly this prefix. */
  sizeOf(prefix: string): number {
    return this.#groups.get(prefix)?.size ?? 0;
  }

  /** Passes the events of the past to a listener, and later ones from now on. Returns a function that ends it. */
  add(
    prefix: string,
    { listener, fromRevision }: Subscription<T>,
    past: readonly PastEvent<T>[],
  ): () => void {
    const subscription = { listener, fromRevision };
    for (const event of past) {
      const happened = readEvent(event);
      subscription.fromRevision = happened.revision;
      if (covers(prefix, happened.key)) listener.onEvent(happened);
    }
    const group = this.#groups.get(prefix) ?? new Set();
    this.#groups.set(prefix, group.add(subscription));
    this.#size++;
    if (listener.readsObjects === true) this.#readers++;
    return () => this.#remove(prefix, subscription);
  }

  /** Passes an event to the listeners that it concerns. A listener that throws does not keep it from the others. */
  emit(event: CacheEvent<T>): void {
    this.#notify(event.key, event);
    for (const prefix of prefixesOf(event.key, this.#root.length)) this.#notify(prefix, event);
  }

  /** Reports progress: everything up to the revision was delivered. */
  announce(revision: number): void {
    for (const group of this.#groups.values()) {
      for (const { listener, fromRevision } of group) {
        if (revision > fromRevision) listener.onProgress?.(revision);
      }
    }
  }

  /** Removes all listeners, and returns them. */
  clear(): CacheListener<T>[] {
    const listeners = [...this.#groups.values()].flatMap((group) =>
      [...group].map(({ listener }) => listener),
    );
    this.#groups.clear();
    this.#size = this.#readers = 0;
    return listeners;
  }

  #notify(prefix: string, event: CacheEvent<T>): void {
    const group = this.#groups.get(prefix);
    if (!group) return;
    for (const { fromRevision, listener } of group) {
      if (event.revision <= fromRevision) continue;
      try {
        listener.onEvent(event);
      } catch (error) {
        this.#warn('a watch listener failed', { key: event.key, error });
      }
    }
  }

  #remove(prefix: string, subscription: Subscription<T>): void {
    const group = this.#groups.get(prefix);
    if (!group?.delete(subscription)) return;
    this.#size--;
    if (subscription.listener.readsObjects === true) this.#readers--;
    if (group.size === 0) this.#groups.delete(prefix);
  }
}
