/**
 * The store contract: bytes under keys, one revision counter, nothing of Kubernetes.
 *
 * Revisions start at 1 in an empty store; every committed write raises the counter by exactly one and stamps its key
 * with the new value. A promise of a write resolves only when the write is durable (where the store is durable).
 * Values handed out are shared: never change them.
 */
export interface Store {
  readonly capabilities: StoreCapabilities;

  /** The revision of the newest committed write. Linearizable: never older than a write acknowledged to anybody. */
  currentRevision(): Promise<number>;
  /** The same, where it is known without asking anybody: not for a store that other processes write to. */
  readonly revision?: number | undefined;

  /** The entry under a key, now or as of a revision, with the store's revision at the time of reading. */
  get(key: string, options?: { revision?: number }): Promise<GetResult>;

  /** The entries under a prefix in the order of their keys, as one consistent snapshot. */
  list(prefix: string, options?: ListOptions): Promise<ListResult>;

  /** Stores a new key. Throws StoreError `exists`. Resolves to the revision of the write. */
  create(key: string, value: Uint8Array, options?: WriteOptions): Promise<number>;

  /** Replaces the value of a key whose modRevision is `expected`. Throws StoreError `conflict` or `notFound`. */
  update(key: string, value: Uint8Array, expected: number, options?: WriteOptions): Promise<number>;

  /** Removes a key whose modRevision is `expected` (any, where left out). Throws StoreError `conflict` or `notFound`. */
  delete(key: string, expected?: number): Promise<DeleteResult>;

  /**
   * Every change under a prefix after `fromRevision` (exclusive), in order, none twice, until the signal aborts; batches
   * hold whole revisions. A `progress` batch has no events and says that everything up to its revision was delivered.
   * Throws StoreError `compacted` where history no longer reaches back that far.
   */
  watch(prefix: string, options: WatchOptions): AsyncIterable<WatchBatch>;

  /** Forgets history before a revision (it stays readable at that revision). Throws StoreError `compacted` or `future`. */
  compact(revision: number): Promise<void>;

  /** Ends all watches and releases what the store holds. */
  close(): Promise<void>;
}

/** What a store can do beyond the contract; declared, never tested for by type. */
export interface StoreCapabilities {
  /** Acknowledged writes survive the death of the process. */
  durable: boolean;
  /** Other processes may write to the same data: revisions move without calls to this object. */
  shared: boolean;
  /** `ttlSeconds` on writes is honoured. */
  ttl: boolean;
}

export interface Entry {
  key: string;
  value: Uint8Array;
  createRevision: number;
  modRevision: number;
  /** How many writes the key has had since its creation, that one included; left out by stores that do not count. */
  version?: number;
}

export interface GetResult {
  entry?: Entry;
  revision: number;
}

export interface ListOptions {
  /** Read as of this revision. Throws StoreError `compacted` or `future`. */
  revision?: number;
  /** At most this many entries. */
  limit?: number;
  /** Start at this key (inclusive), which must lie under the prefix. */
  startKey?: string;
}

export interface ListResult {
  entries: Entry[];
  /** The revision that the list shows. */
  revision: number;
  /** True when `limit` cut the list. */
  more: boolean;
  /** How many entries there are from `startKey` on, cut or not. */
  count: number;
}

export interface WriteOptions {
  /** The key is deleted by the store after this many seconds, where `capabilities.ttl`. */
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
  /** Ask for `progress` batches, so that every revision that the store knows of is soon covered by a batch. */
  progress?: boolean;
}

export interface WatchBatch {
  /** The revision up to which the watch is complete with this batch. */
  revision: number;
  events: StoreEvent[];
}

export interface StoreEvent {
  type: 'put' | 'delete';
  /** The entry after the change; for `delete` its value is empty and its modRevision that of the deletion. */
  entry: Entry;
  /** The entry before the change; absent where the key is new. */
  previous?: Entry;
}

/** The closed list of what can go wrong in a store. */
export type StoreErrorCode =
  | 'exists' // create: the key is there
  | 'notFound' // update, delete: the key is not there
  | 'conflict' // update, delete: the key has another modRevision
  | 'compacted' // history was compacted away
  | 'future' // the revision was never written
  | 'tooLarge' // the value exceeds the store's limit
  | 'noSpace' // disk or quota full; reads go on
  | 'unavailable' // not reached, closed, or timed out; the outcome of a write is unknown
  | 'locked' // another process holds the directory
  | 'damaged' // what is stored is not what was written
  | 'invalid'; // entries that are to be restored contradict each other

export class StoreError extends Error {
  readonly code: StoreErrorCode;
  /** The current entry, with `conflict` and `exists` where the store knows it. */
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
