import { MessageChannel } from 'node:worker_threads';
import type {
  DeleteResult,
  GetResult,
  ListOptions,
  ListResult,
  NewEntry,
  Store,
  StoreCapabilities,
  WatchBatch,
  WatchOptions,
  WriteOptions,
} from '../store.ts';
import { closedRevision, type StoreConnection } from './protocol.ts';
import { serveStore } from './serve-store.ts';
import { SharedValues, sharedValue } from './shared-values.ts';

/** A store that several threads use. */
export interface SharedStore {
  /** The store for this thread. */
  store: Store;
  /** Returns what one other thread needs for `openThreadStore`. */
  connect(): StoreConnection;
}

/**
 * Shares a store of this thread with other threads, which then may not use the given store directly. It must know its `revision`. A revision
 * is published to all threads before any thread learns that it was written, so that their reads are linearizable without a message.
 */
export function shareStore(store: Store): SharedStore {
  const revisions = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
  const published = new PublishedStore(store, new BigInt64Array(revisions));
  const values = new SharedValues();
  return {
    store: published,
    connect() {
      const { port1, port2 } = new MessageChannel();
      serveStore(published, values, port1);
      return { port: port2, revisions, capabilities: published.capabilities };
    },
  };
}

/**
 * A store that publishes its revision before it reports anything of that revision. Values that this thread writes are in shared memory at once: a history of this thread
 * and of others would keep two copies otherwise.
 */
class PublishedStore implements Store {
  readonly capabilities: StoreCapabilities;
  readonly createAll: Store['createAll'];
  readonly #store: Store;
  readonly #published: BigInt64Array;

  constructor(store: Store, published: BigInt64Array) {
    this.#store = store;
    this.#published = published;
    this.capabilities = { ...store.capabilities, shared: true, inOneProcess: true };
    this.#publish();
    if (store.createAll !== undefined)
      this.createAll = (entries: readonly NewEntry[]) =>
        this.#afterwards(
          store.createAll!(entries.map(({ key, value }) => ({ key, value: sharedValue(value) }))),
        );
  }

  get revision(): number | undefined {
    this.#publish();
    return this.#store.revision;
  }

  get compacted(): number | undefined {
    return this.#store.compacted;
  }

  currentRevision(): Promise<number> {
    return this.#afterwards(this.#store.currentRevision());
  }

  get(key: string, options?: { revision?: number }): Promise<GetResult> {
    return this.#afterwards(this.#store.get(key, options));
  }

  list(prefix: string, options?: ListOptions): Promise<ListResult> {
    return this.#afterwards(this.#store.list(prefix, options));
  }

  create(key: string, value: Uint8Array, options?: WriteOptions): Promise<number> {
    return this.#afterwards(this.#store.create(key, sharedValue(value), options));
  }

  update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<number> {
    return this.#afterwards(this.#store.update(key, sharedValue(value), expected, options));
  }

  delete(key: string, expected?: number): Promise<DeleteResult> {
    return this.#afterwards(this.#store.delete(key, expected));
  }

  async *watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    for await (const batch of this.#store.watch(prefix, options)) {
      this.#publish();
      yield batch;
    }
  }

  async compact(revision: number): Promise<void> {
    await this.#afterwards(this.#store.compact(revision));
    this.#publishCompacted();
  }

  async close(): Promise<void> {
    await this.#store.close();
    this.#publish();
  }

  async #afterwards<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } finally {
      this.#publish();
    }
  }

  #publish(): void {
    const { revision } = this.#store;
    const newest = revision === undefined ? closedRevision : BigInt(revision);
    // Compactions may be known a write later: reads of old revisions then find out in the store.
    if (Atomics.exchange(this.#published, 0, newest) !== newest) this.#publishCompacted();
  }

  #publishCompacted(): void {
    Atomics.store(this.#published, 1, BigInt(this.#store.compacted ?? 0));
  }
}
