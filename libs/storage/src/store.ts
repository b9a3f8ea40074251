/**
 * The store contract: bytes under keys, one revision counter, independent of Kubernetes.
 *
 * Revisions start at 1 in an empty store; every committed write increments the counter by one and sets the
 * modRevision of its key to the new value. The promise of a write resolves when the write is durable (if the
 * store is durable). Returned values are shared: never change them.
 */
export interface Store {
  readonly capabilities: StoreCapabilities;

  /** The revision of the newest committed write. Linearizable: never older than an acknowledged write. */
  currentRevision(): Promise<number>;
  /** The current revision, if it is known locally: not for a store that other processes write to. */
  readonly revision?: number | undefined;
  /** The revision before which history is removed, if it is known locally. */
  readonly compacted?: number | undefined;

  /**
   * Returns the entry of a key, at the current or an earlier revision, with the store's revision at the time
   * of reading.
   */
  get(key: string, options?: { revision?: number }): Promise<GetResult>;

  /** Lists the entries under a prefix in key order, as one consistent snapshot. */
  list(prefix: string, options?: ListOptions): Promise<ListResult>;

  /** Stores a new key. Throws StoreError `exists`. Resolves to the revision of the write. */
  create(key: string, value: Uint8Array, options?: WriteOptions): Promise<number>;

  /**
   * Stores new keys in one transaction, if none of them exists; resolves to the revision of the last one, and to `undefined` if
   * one exists. Only with `capabilities.batches`: `createMissing` works with every store.
   */
  createAll?(entries: readonly NewEntry[]): Promise<number | undefined>;

  /** Replaces the value of a key whose modRevision is `expected`. Throws StoreError `conflict` or `notFound`. */
  update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<number>;

  /**
   * Removes a key whose modRevision is `expected` (default: any). Throws StoreError `conflict` or `notFound`.
   */
  delete(key: string, expected?: number): Promise<DeleteResult>;

  /**
   * Yields every change under a prefix after `fromRevision` (exclusive), in order, each once, until the
   * signal aborts; batches contain whole revisions. A `progress` batch has no events and means that
   * everything up to its revision was delivered. Throws StoreError `compacted` if history does not reach back
   * that far.
   */
  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch>;

  /**
   * Removes history before a revision, which itself stays readable. Throws StoreError `compacted` or
   * `future`.
   */
  compact(revision: number): Promise<void>;

  /** Ends all watches and releases the resources of the store. */
  close(): Promise<void>;
}

/** The abilities of a store beyond the contract; declared, never detected by type. */
export interface StoreCapabilities {
  /** Acknowledged writes survive a crash of the process. */
  durable: boolean;
  /** Other processes may write to the same data: revisions move without calls to this object. */
  shared: boolean;
  /** Of a shared store: all that write to it are threads of this process. */
  inOneProcess?: boolean;
  /** The store supports `ttlSeconds` on writes. */
  ttl: boolean;
  /** The store has `createAll`. */
  batches?: boolean;
  /** Values are encrypted, so entries may be `stale` or `unreadable`. */
  encrypted?: boolean;
}

export interface Entry {
  key: string;
  value: Uint8Array;
  createRevision: number;
  modRevision: number;
  /** The number of writes to the key since its creation, including it; absent if the store does not count. */
  version?: number | undefined;
  /** The value is encrypted with another key or provider than a write would use. */
  stale?: boolean;
  /** Why the value cannot be decrypted; the value is then empty. */
  unreadable?: string;
}

/** A key to be created. */
export interface NewEntry {
  key: string;
  value: Uint8Array;
}

export interface GetResult {
  entry?: Entry;
  revision: number;
}

export interface ListOptions {
  /** The revision to read. Throws StoreError `compacted` or `future`. */
  revision?: number;
  /** At most this many entries. */
  limit?: number;
  /** The first key (inclusive), which must lie under the prefix. */
  startKey?: string;
  /** The reader does not need `count`: a store that would have to count the entries beyond `limit` leaves them out. */
  uncounted?: boolean;
}

export interface ListResult {
  entries: Entry[];
  /** The revision of the list. */
  revision: number;
  /** True when `limit` cut the list. */
  more: boolean;
  /** The number of entries from `startKey` on, also those beyond `limit`. */
  count: number;
}

export interface WriteOptions {
  /** The store deletes the key after this many seconds, if it has `capabilities.ttl`. */
  ttlSeconds?: number;
}

export interface DeleteResult {
  /** The entry that was deleted. */
  entry: Entry;
  revision: number;
}

export interface WatchOptions {
  fromRevision: number;
  signal: AbortSignal;
  /** Requests `progress` batches, so that a batch soon covers every revision that the store observes. */
  progress?: boolean;
}

export interface WatchBatch {
  /** The watch is complete up to this revision. */
  revision: number;
  events: StoreEvent[];
}

export interface StoreEvent {
  type: 'put' | 'delete';
  /** The entry after the change; for `delete` its value is empty and its modRevision that of the deletion. */
  entry: Entry;
  /** The entry before the change; absent if the key is new. */
  previous?: Entry;
}

/** All error codes of a store. */
export type StoreErrorCode =
  | 'exists' // create: the key exists
  | 'notFound' // update, delete: the key does not exist
  | 'conflict' // update, delete: the key has another modRevision
  | 'compacted' // history was compacted away
  | 'future' // the revision was never written
  | 'tooLarge' // the value exceeds the store's limit
  | 'noSpace' // disk or quota full; reads still succeed
  | 'unavailable' // unreachable or closed; the outcome of a write is unknown
  | 'timedOut' // no response in time; the outcome of a write is unknown
  | 'locked' // another process holds the directory
  | 'damaged' // the stored bytes are not those that were written
  | 'invalid'; // entries to restore contradict each other

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** The current entry, with `conflict` and `exists`, if the store has it. */
  readonly current: Entry | undefined;
  /** The compacted or current revision, with `compacted` and `future`. */
  readonly revision: number | undefined;

  constructor(code: StoreErrorCode, message: string, about: { current?: Entry; revision?: number } = {}) {
    super(message);
    this.name = 'StoreError';
    this.code = code;
    this.current = about.current;
    this.revision = about.revision;
  }
}
