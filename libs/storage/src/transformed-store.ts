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
  /** Returns the entry whose stored form is given. Must not throw. */
  read(entry: Entry): Entry;
  /** Returns the stored form of a value. */
  write(key: string, value: Uint8Array): Uint8Array;
}

/** Returns a store whose values have another form in the given store. */
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

  currentRevision(): Promise<number> {
    return this.#store.currentRevision();
  }

  async get(key: string, options?: { revision?: number }): Promise<GetResult> {
    const { entry, revision } = await this.#store.get(key, options);
    return entry === undefined ? { revision } : { entry: this.#transformation.read(entry), revision };
  }

  async list(prefix: string, options?: ListOptions): Promise<ListResult> {
    const result = await this.#store.list(prefix, options);
    return { ...result, entries: result.entries.map((entry) => this.#transformation.read(entry)) };
  }

  async create(key: string, value: Uint8Array, options?: WriteOptions): Promise<number> {
    return this.#withCurrent(this.#store.create(key, this.#transformation.write(key, value), options));
  }

  get createAll(): Store['createAll'] {
    if (this.#store.createAll === undefined) return undefined;
    return (entries: readonly NewEntry[]) =>
      this.#store.createAll!(
        entries.map(({ key, value }) => ({ key, value: this.#transformation.write(key, value) })),
      );
  }

  async update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<number> {
    return this.#withCurrent(
      this.#store.update(key, this.#transformation.write(key, value), expected, options),
    );
  }

  async delete(key: string, expected?: number): Promise<DeleteResult> {
    const { entry, revision } = await this.#withCurrent(this.#store.delete(key, expected));
    return { entry: this.#transformation.read(entry), revision };
  }

  async *watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    for await (const { revision, events } of this.#store.watch(prefix, options))
      yield { revision, events: events.map((event) => this.#readEvent(event)) };
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #readEvent({ type, entry, previous }: StoreEvent): StoreEvent {
    return {
      type,
      entry: type === 'put' ? this.#transformation.read(entry) : entry,
      ...(previous && { previous: this.#transformation.read(previous) }),
    };
  }

  /** Errors contain the current entry. */
  async #withCurrent<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      if (!(error instanceof StoreError) || error.current === undefined) throw error;
      const { code, message, current, revision } = error;
      const about = revision === undefined ? {} : { revision };
      throw new StoreError(code, message, { current: this.#transformation.read(current), ...about });
    }
  }
}
