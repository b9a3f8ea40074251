import type { SortedMap } from './sorted-map.ts';
import { type Entry, type GetResult, StoreError, type StoreEvent } from './store.ts';

/** The location of a key's value: enough to decide a write without reading the value. */
export interface Head {
  createRevision: number;
  modRevision: number;
  version: number;
}

/**
 * One revision of the log. `head` is the new head (absent: deleted), `previous` the old one (absent: new
 * key).
 */
export interface LogRecord {
  revision: number;
  key: string;
  head?: Head;
  previous?: Head;
}

/**
 * The common part of the embedded stores: the live keys, and a log of every revision after `compacted`. Reads
 * at a revision and watch history are derived from these two, see {@link getFrom} and `listFrom`.
 */
export interface Ledger {
  readonly revision: number;
  readonly compacted: number;
  head(key: string): Head | undefined;
  /** Visits the live keys under a prefix from `startKey` on, in order, until `visit` returns false. */
  scan(prefix: string, startKey: string, visit: (key: string, head: Head) => boolean | void): void;
  /** Counts live keys under a prefix from `startKey` on, and before `endKey`: those before `next`, if there are many. */
  count(prefix: string, startKey: string, endKey?: string): { count: number; next?: string | undefined };
  /** Returns the record of a revision after `compacted`. */
  record(revision: number): LogRecord;
  /** Returns the entry that a head of this key points to. */
  entry(key: string, head: Head): Entry;
}

/** A key that was written after a revision. */
export interface ChangedKey {
  /** Its head at that revision; absent if the key did not exist. */
  then: Head | undefined;
  /** Whether the key exists now. */
  isThere: boolean;
}

/** The keys under a prefix that changed after a revision. */
export interface Changes {
  /**
   * Calls with these keys, at a moment when none is missing; other work runs before in time slices. Throws StoreError `compacted`
   * if the log does not reach back that far.
   */
  read<T>(use: (changed: SortedMap<ChangedKey>) => T): Promise<T>;
}

/** Reads the keys that changed after a revision. */
export interface ChangeReader {
  /** Returns those under a prefix. What is read of them is kept for later calls with the same revision and prefix if `kept` is true. */
  since(revision: number, prefix: string, kept: boolean): Changes;
}

/** A requested write. */
export type Write =
  | { kind: 'create'; key: string; value: Uint8Array; ttlSeconds?: number | undefined }
  | { kind: 'update'; key: string; value: Uint8Array; expected: number; ttlSeconds?: number | undefined }
  | { kind: 'delete'; key: string; expected?: number | undefined };

/** Returns why a write conflicts with the current entry of the key, or undefined. */
export function refusal(ledger: Pick<Ledger, 'entry'>, write: Write, head: Head | undefined) {
  if (write.kind === 'create') {
    if (!head) return undefined;
    return new StoreError('exists', `key ${write.key} exists`, { current: ledger.entry(write.key, head) });
  }
  if (!head) return new StoreError('notFound', `key ${write.key} not found`);
  if (write.expected === undefined || write.expected === head.modRevision) return undefined;
  return new StoreError(
    'conflict',
    `key ${write.key} is at revision ${head.modRevision}, not ${write.expected}`,
    { current: ledger.entry(write.key, head) },
  );
}

/** Returns the log record of an accepted write. */
export function recordOf(write: Write, revision: number, previous: Head | undefined): LogRecord {
  const record: LogRecord = { revision, key: write.key };
  if (previous) record.previous = previous;
  if (write.kind !== 'delete') {
    const { createRevision = revision, version = 0 } = previous ?? {};
    record.head = { createRevision, modRevision: revision, version: version + 1 };
  }
  return record;
}

/** Converts a log record to a watch event. */
export function eventOf(ledger: Pick<Ledger, 'entry'>, record: LogRecord): StoreEvent {
  const { key, head, previous } = record;
  const entry = head ? ledger.entry(key, head) : deletedEntry(key, record.revision);
  const event: StoreEvent = { type: head ? 'put' : 'delete', entry };
  if (previous) event.previous = ledger.entry(key, previous);
  return event;
}

const noBytes = new Uint8Array(0);

/** Returns the entry of a deletion in a watch event. */
export function deletedEntry(key: string, revision: number): Entry {
  return { key, value: noBytes, createRevision: 0, modRevision: revision };
}

/** Reads a key, at the current or an earlier revision. */
export async function getFrom(
  ledger: Ledger,
  historicalReads: ChangeReader,
  key: string,
  revision?: number,
): Promise<GetResult> {
  const at = readableRevision(ledger, revision);
  const head = ledger.head(key);
  if (at === ledger.revision || (head && head.modRevision <= at)) return foundAt(ledger, key, head);
  return historicalReads.since(at, key, true).read((changed) => {
    const change = changed.get(key);
    return foundAt(ledger, key, change ? change.then : ledger.head(key));
  });
}

function foundAt(ledger: Ledger, key: string, head: Head | undefined): GetResult {
  const { revision } = ledger;
  return head ? { entry: ledger.entry(key, head), revision } : { revision };
}

/** Returns the revision to read: the current one by default. Throws StoreError `compacted` or `future`. */
export function readableRevision(ledger: Ledger, revision: number | undefined): number {
  if (!revision) return ledger.revision;
  if (revision > ledger.revision) throw futureError(revision, ledger.revision);
  if (revision < ledger.compacted) throw compactedError(revision, ledger.compacted);
  return revision;
}

/** The error of reading a revision that is not written yet. */
export function futureError(revision: number, current: number): StoreError {
  return new StoreError('future', `revision ${revision} is in the future, the current one is ${current}`, {
    revision: current,
  });
}

/** The error of reading compacted history. */
export function compactedError(revision: number, compacted: number): StoreError {
  return new StoreError('compacted', `revision ${revision} is compacted, the oldest is ${compacted}`, {
    revision: compacted,
  });
}

/** Throws if a compaction to this revision is not possible. */
export function checkCompaction(ledger: Ledger, revision: number): void {
  if (revision > ledger.revision) throw futureError(revision, ledger.revision);
  if (revision <= ledger.compacted) throw compactedError(revision, ledger.compacted);
}
