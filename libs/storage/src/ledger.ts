import type { SortedMap } from './sorted-map.ts';
import {
  type Entry,
  type GetResult,
  type ListOptions,
  type ListResult,
  StoreError,
  type StoreEvent,
} from './store.ts';

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
 * at a revision and watch history are derived from these two, see {@link getFrom}, {@link listFrom}.
 */
export interface Ledger {
  readonly revision: number;
  readonly compacted: number;
  head(key: string): Head | undefined;
  /** Visits the live keys under a prefix from `startKey` on, in order, until `visit` returns false. */
  scan(prefix: string, startKey: string, visit: (key: string, head: Head) => boolean | void): void;
  count(prefix: string, startKey: string): number;
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

/** Reads the keys that changed after a revision. */
export interface ChangeReader {
  /**
   * Calls with the keys under a prefix that changed after a revision, at a moment when none is missing; other
   * work runs before in time slices. Throws StoreError `compacted` if the log does not reach back that far.
   */
  read<T>(revision: number, prefix: string, use: (changed: SortedMap<ChangedKey>) => T): Promise<T>;
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
  return historicalReads.read(at, key, (changed) => {
    const change = changed.get(key);
    return foundAt(ledger, key, change ? change.then : ledger.head(key));
  });
}

function foundAt(ledger: Ledger, key: string, head: Head | undefined): GetResult {
  const { revision } = ledger;
  return head ? { entry: ledger.entry(key, head), revision } : { revision };
}

/** Lists a prefix, at the current or an earlier revision. */
export async function listFrom(
  ledger: Ledger,
  historicalReads: ChangeReader,
  prefix: string,
  options: ListOptions = {},
): Promise<ListResult> {
  const at = readableRevision(ledger, options.revision);
  const startKey = options.startKey ?? prefix;
  const limit = options.limit || Infinity;
  const { uncounted = false } = options;
  if (at === ledger.revision) return listNow(ledger, prefix, startKey, limit, uncounted);
  return historicalReads.read(at, prefix, (changed) => {
    const heads = headsAt(ledger, changed, prefix, startKey, limit + 1);
    const more = heads.length > limit;
    const entries = heads.slice(0, limit).map(([key, head]) => ledger.entry(key, head));
    if (!more || uncounted) return { entries, revision: at, more, count: entries.length };
    let count = ledger.count(prefix, startKey);
    changed.scan(prefix, startKey, (_key, { then, isThere }) => {
      count += Number(then !== undefined) - Number(isThere);
    });
    return { entries, revision: at, more, count };
  });
}

function listNow(
  ledger: Ledger,
  prefix: string,
  startKey: string,
  limit: number,
  uncounted: boolean,
): ListResult {
  const entries: Entry[] = [];
  let more = false;
  ledger.scan(prefix, startKey, (key, head) => {
    more = entries.length >= limit;
    if (!more) entries.push(ledger.entry(key, head));
    return !more;
  });
  const count = more && !uncounted ? ledger.count(prefix, startKey) : entries.length;
  return { entries, revision: ledger.revision, more, count };
}

/**
 * Returns the first keys at a revision, in order: live keys without a change since then, and the old heads of
 * the others.
 */
function headsAt(
  ledger: Ledger,
  changed: SortedMap<ChangedKey>,
  prefix: string,
  startKey: string,
  limit: number,
): [key: string, head: Head][] {
  const past: [key: string, head: Head][] = [];
  changed.scan(prefix, startKey, (key, { then }) => {
    if (then) past.push([key, then]);
    return past.length < limit;
  });
  const heads: [string, Head][] = [];
  let next = 0;
  const takePast = (end?: string) => {
    for (; next < past.length && (end === undefined || past[next]![0] < end); next++) heads.push(past[next]!);
  };
  ledger.scan(prefix, startKey, (key, head) => {
    takePast(key);
    if (changed.get(key) === undefined) heads.push([key, head]);
    return heads.length < limit;
  });
  if (heads.length < limit) takePast();
  return heads.slice(0, limit);
}

function readableRevision(ledger: Ledger, revision: number | undefined): number {
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
