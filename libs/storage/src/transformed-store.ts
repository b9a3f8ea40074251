import { eachInSlices } from '@annex/runtime';
import {
  type DeleteResult,
  type Entry,
  type GetResult,
  type ListOptions,
  type ListResult,
  type NewEntry,
  type Store,
  type StoreCapabilities,
  StoreError,
  type StoreEvent,
  type WatchBatch,
  type WatchOptions,
  type WriteOptions,
} from './store.ts';

/** How the entries of a store are stored in another one. */
export interface StoreTransformation {
  capabilities: StoreCapabilities;
  /** Keys have another form too; they are the same by default. */
  keys?: KeyTransformation;
  /** Returns the entry whose stored form is given; its key is not a stored one. Must not throw. The same entry by default. */
  read?(entry: Entry): Entry;
  /** Returns the stored form of a value. The same value by default. */
  write?(key: string, value: Uint8Array): Uint8Array;
}

interface KeyTransformation {
  /** Returns the stored form of a key or a prefix of keys. */
  stored(key: string): string;
  /** Returns the key whose stored form is given. */
  own(key: string): string;
}

/** Returns a store whose keys or values have another form in the given store. */
export const transformedStore = (store: Store, transformation: StoreTransformation): Store =>
  new TransformedStore(store, transformation);

class TransformedStore implements Store {
  readonly #store: Store;
  readonly #transformation: StoreTransformation;

  constructor(store: Store, transformation: StoreTransformation) {
    this.#store = store;
    this.#transformation = transformation;
  }

  get capabilities(): StoreCapabilities {
    return this.#transformation.capabilities;
  }

  get revision(): number | undefined {
    return this.#store.revision;
  }

  get compacted(): number | undefined {
    return this.#store.compacted;
  }

  currentRevision(): Promise<number> {
    return this.#store.currentRevision();
  }

  async get(key: string, options?: { revision?: number }): Promise<GetResult> {
    const { entry, revision } = await this.#withOwn(this.#store.get(this.#stored(key), options));
    return entry === undefined ? { revision } : { entry: this.#read(entry), revision };
  }

  async list(prefix: string, { startKey, ...options }: ListOptions = {}): Promise<ListResult> {
    const start = startKey === undefined ? {} : { startKey: this.#stored(startKey) };
    const list = this.#store.list(this.#stored(prefix), { ...options, ...start });
    const result = await this.#withOwn(list);
    const entries: Entry[] = [];
    // Large values take long to decrypt.
    await eachInSlices(result.entries, (entry) => entries.push(this.#read(entry)));
    return { ...result, entries };
  }

  async create(key: string, value: Uint8Array, options?: WriteOptions): Promise<number> {
    return this.#withOwn(this.#store.create(this.#stored(key), this.#write(key, value), options));
  }

  get createAll(): Store['createAll'] {
    if (this.#store.createAll === undefined) return undefined;
    return (entries: readonly NewEntry[]) =>
      this.#store.createAll!(
        entries.map(({ key, value }) => ({ key: this.#stored(key), value: this.#write(key, value) })),
      );
  }

  async update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<number> {
    const stored = this.#write(key, value);
    return this.#withOwn(this.#store.update(this.#stored(key), stored, expected, options));
  }

  async delete(key: string, expected?: number): Promise<DeleteResult> {
    const { entry, revision } = await this.#withOwn(this.#store.delete(this.#stored(key), expected));
    return { entry: this.#read(entry), revision };
  }

  async *watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    for await (const { revision, events } of this.#store.watch(this.#stored(prefix), options))
      yield { revision, events: events.map((event) => this.#readEvent(event)) };
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #stored(key: string): string {
    return this.#transformation.keys?.stored(key) ?? key;
  }

  #write(key: string, value: Uint8Array): Uint8Array {
    return this.#transformation.write?.(key, value) ?? value;
  }

  #read(entry: Entry): Entry {
    const own = this.#withKey(entry);
    return this.#transformation.read?.(own) ?? own;
  }

  #withKey(entry: Entry): Entry {
    const { keys } = this.#transformation;
    return keys === undefined ? entry : { ...entry, key: keys.own(entry.key) };
  }

  #readEvent({ type, entry, previous }: StoreEvent): StoreEvent {
    return {
      type,
      // The entry of a deletion has no value.
      entry: type === 'put' ? this.#read(entry) : this.#withKey(entry),
      ...(previous && { previous: this.#read(previous) }),
    };
  }

  /** Errors contain the current entry. */
  async #withOwn<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      if (!(error instanceof StoreError) || error.current === undefined) throw error;
      const { code, message, current, revision } = error;
      const about = revision === undefined ? {} : { revision };
      throw new StoreError(code, message, { current: this.#read(current), ...about });
    }
  }
}
