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
} from '../store.ts';
import type { Transformer } from './transformer.ts';

/** How the values of a store are encrypted. */
export interface Encryption {
  /** Returns the current transformer of a key. */
  transformerOf(key: string): Transformer;
  /** Returns what is authenticated with the value: the key in the underlying store. */
  contextOf(key: string): string;
}

/**
 * Returns a store that keeps encrypted values in the given store. An entry that cannot be decrypted is `unreadable`; other
 * entries are not affected.
 */
export const encryptedStore = (store: Store, encryption: Encryption): Store =>
  new EncryptedStore(store, encryption);

const noBytes = new Uint8Array(0);

class EncryptedStore implements Store {
  readonly #store: Store;
  readonly #encryption: Encryption;
  readonly capabilities: StoreCapabilities;

  constructor(store: Store, encryption: Encryption) {
    this.#store = store;
    this.#encryption = encryption;
    this.capabilities = { ...store.capabilities, encrypted: true };
  }

  get revision(): number | undefined {
    return this.#store.revision;
  }

  currentRevision(): Promise<number> {
    return this.#store.currentRevision();
  }

  async get(key: string, options?: { revision?: number }): Promise<GetResult> {
    const { entry, revision } = await this.#store.get(key, options);
    return entry === undefined ? { revision } : { entry: this.#decrypted(entry), revision };
  }

  async list(prefix: string, options?: ListOptions): Promise<ListResult> {
    const result = await this.#store.list(prefix, options);
    return { ...result, entries: result.entries.map((entry) => this.#decrypted(entry)) };
  }

  async create(key: string, value: Uint8Array, options?: WriteOptions): Promise<number> {
    return this.#withCurrent(this.#store.create(key, this.#encrypted(key, value), options));
  }

  get createAll(): Store['createAll'] {
    if (this.#store.createAll === undefined) return undefined;
    return (entries: readonly NewEntry[]) =>
      this.#store.createAll!(entries.map(({ key, value }) => ({ key, value: this.#encrypted(key, value) })));
  }

  async update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<number> {
    return this.#withCurrent(this.#store.update(key, this.#encrypted(key, value), expected, options));
  }

  async delete(key: string, expected?: number): Promise<DeleteResult> {
    const { entry, revision } = await this.#withCurrent(this.#store.delete(key, expected));
    return { entry: this.#decrypted(entry), revision };
  }

  async *watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch> {
    for await (const { revision, events } of this.#store.watch(prefix, options))
      yield { revision, events: events.map((event) => this.#decryptedEvent(event)) };
  }

  compact(revision: number): Promise<void> {
    return this.#store.compact(revision);
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #encrypted(key: string, value: Uint8Array): Uint8Array {
    const { transformerOf, contextOf } = this.#encryption;
    return transformerOf(key).toStorage(value, contextOf(key));
  }

  #decrypted(entry: Entry): Entry {
    const { transformerOf, contextOf } = this.#encryption;
    const { key } = entry;
    try {
      const { value, stale } = transformerOf(key).fromStorage(entry.value, contextOf(key));
      return stale ? { ...entry, value, stale } : { ...entry, value };
    } catch (error) {
      return { ...entry, value: noBytes, unreadable: (error as Error).message };
    }
  }

  #decryptedEvent({ type, entry, previous }: StoreEvent): StoreEvent {
    return {
      type,
      entry: type === 'put' ? this.#decrypted(entry) : entry,
      ...(previous && { previous: this.#decrypted(previous) }),
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
      throw new StoreError(code, message, { current: this.#decrypted(current), ...about });
    }
  }
}
