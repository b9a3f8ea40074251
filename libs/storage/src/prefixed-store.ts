import {
  type DeleteResult,
  type Entry,
  type GetResult,
  type ListOptions,
  type ListResult,
  type NewEntry,
  type Store,
  StoreError,
  type StoreEvent,
  type WatchBatch,
  type WatchOptions,
  type WriteOptions,
} from './store.ts';

/** The beginning of all keys of Annex, as of kube-apiserver by default. */
const ownPrefix = '/registry/';

/** Returns a store whose keys begin with another prefix in the given store. The prefix ends in a slash. */
export const prefixedStore = (store: Store, prefix: string): Store =>
  prefix === ownPrefix ? store : new PrefixedStore(store, prefix);

class PrefixedStore implements Store {
  readonly #store: Store;
  readonly #prefix: string;

  constructor(store: Store, prefix: string) {
    this.#store = store;
    this.#prefix = prefix;
  }

  get capabilities(): Store['capabilities'] {
    return this.#store.capabilities;
  }

  get revision(): number | undefined {
    return this.#store.revision;
  }

  currentRevision(): Promise<number> {
    return this.#store.currentRevision();
  }

  async get(key: string, options?: { revision?: number }): Promise<GetResult> {
    const { entry, revision } = await this.#translated(this.#store.get(this.#stored(key), options));
    return { ...(entry && { entry: this.#own(entry) }), revision };
  }

  async list(prefix: string, { startKey, ...options }: ListOptions = {}): Promise<ListResult> {
    const start = startKey === undefined ? {} : { startKey: this.#stored(startKey) };
    const list = this.#store.list(this.#stored(prefix), { ...options, ...start });
    const result = await this.#translated(list);
    return { ...result, entries: result.entries.map((entry) => this.#own(entry)) };
  }

  async create(key: string, value: Uint8Array, options?: WriteOptions): Promise<number> {
    return this.#translated(this.#store.create(this.#stored(key), value, options));
  }

  get createAll(): Store['createAll'] {
    if (this.#store.createAll === undefined) return undefined;
    return (entries: readonly NewEntry[]) =>
      this.#store.createAll!(entries.map(({ key, value }) => ({ key: this.#stored(key), value })));
  }

  async update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<number> {
    return this.#translated(this.#store.update(this.#stored(key), value, expected, options));
  }

  async delete(key: string, expected?: number): Promise<DeleteResult> {
    const { entry, revision } = await this.#translated(this.#store.delete(this.#stored(key), expected));
    return { entry: this.#own(entry), revision };
  }

  async *watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    for await (const { revision, events } of this.#store.watch(this.#stored(prefix), options))
      yield { revision, events: events.map((event) => this.#ownEvent(event)) };
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #stored(key: string): string {
    if (!key.startsWith(ownPrefix)) throw new Error(`the key ${key} does not begin with ${ownPrefix}`);
    return this.#prefix + key.slice(ownPrefix.length);
  }

  #own(entry: Entry): Entry {
    return { ...entry, key: ownPrefix + entry.key.slice(this.#prefix.length) };
  }

  #ownEvent({ previous, ...event }: StoreEvent): StoreEvent {
    const before = previous && { previous: this.#own(previous) };
    return { ...event, entry: this.#own(event.entry), ...before };
  }

  /** Errors contain the current entry. */
  async #translated<T>(result: Promise<T>): Promise<T> {
    try {
      return await result;
    } catch (error) {
      if (!(error instanceof StoreError) || error.current === undefined) throw error;
      const { code, message, current, revision } = error;
      throw new StoreError(code, message, {
        current: this.#own(current),
        ...(revision === undefined ? {} : { revision }),
      });
    }
  }
}
