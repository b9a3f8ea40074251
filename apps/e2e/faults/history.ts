/** A stored version of an object. */
export interface Version {
  /** Unique among all writes of a history; its writer. */
  value: string;
  revision: number;
}

/** When a request was sent and its response received, in milliseconds of one monotonic clock. */
export interface Interval {
  client: string;
  invokedAt: number;
  /** `Infinity` if there was no response. */
  returnedAt: number;
}

/** What a server responded to a write: the revision, a refusal, or nothing that tells whether it was done. */
export type WriteOutcome =
  | { type: 'done'; revision: number | undefined }
  | { type: 'refused'; reason: 'AlreadyExists' | 'Conflict' | 'NotFound' }
  | { type: 'unknown' };

export interface Write extends Interval {
  type: 'create' | 'update' | 'delete';
  key: string;
  /** The written value; that of the deleted version for `delete`. */
  value: string;
  /** The revision that the object must have; always for `delete`. */
  expected?: number;
  outcome: WriteOutcome;
}

/** A read of one object at the newest revision. */
export interface Read extends Interval {
  key: string;
  found: Version | undefined;
}

/** A complete list of all objects. */
export interface List extends Interval {
  revision: number;
  items: ReadonlyMap<string, Version>;
  /** The oldest revision that the client accepts; `undefined` for the newest one. */
  notOlderThan?: number;
}

export interface WatchedEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  key: string;
  value: string;
  revision: number;
}

/** One watch request: what it received, in order. */
export interface Watch {
  client: string;
  /** It receives what follows this revision. */
  from: number;
  received: readonly (WatchedEvent | { type: 'BOOKMARK'; revision: number })[];
}

/** What all clients of a server sent and received. */
export interface History {
  /** The objects before the first request, as a list of everything. */
  start: { revision: number; items: ReadonlyMap<string, Version> };
  writes: readonly Write[];
  reads: readonly Read[];
  lists: readonly List[];
  watches: readonly Watch[];
}
