import { createRequire } from 'node:module';
import type * as lmdb from 'lmdb';
import type { Head, Ledger, LogRecord } from '../ledger.ts';
import { decodeHead, decodeRecord, formatVersion, isValueWhole, numberBytes } from './ledger-format.ts';
import type { NativeBatch } from './native-batch.ts';
import { type Entry, StoreError } from '../store.ts';

// Its single CommonJS file loads in half the time of its ES modules.
const { open } = createRequire(import.meta.url)('lmdb') as typeof lmdb;

/** When the value of a revision expires, as a Unix time in milliseconds. */
export interface Expiry {
  revision: number;
  key: string;
  due: number;
}

/** Reads within a transaction, if there is one. */
export type Reading = Pick<lmdb.RangeOptions, 'transaction'>;

type Table = lmdb.Database<Buffer, Buffer>;

/** Keys that are counted in one call: one to three milliseconds. */
const countedAtOnce = 10_000;

/** An open data file. */
interface Tables {
  root: lmdb.RootDatabase<Buffer, string>;
  keys: Table;
  log: Table;
  values: Table;
  expiry: Table;
  about: lmdb.Database<Buffer, string>;
}

/** Bytes of a page of the data file. A value of 2 kB or more has pages of its own. */
const pageBytes = 4096;

/**
 * The tables of a directory. `keys`: key → head; `log`: revision → record; `values`: revision → bytes of that
 * write; `expiry`: revision → due time and key; `about`: the counters. A value is written once, under the
 * revision of its write, and stays while a key or the history refers to it.
 */
export class LmdbLedger implements Ledger {
  readonly directory: string;
  #tables: Tables;
  #mappedBytes = 0;
  /** Whether reads compare values with their checksums: the data file may be damaged. */
  comparesChecksums = false;

  /** @param readOnly for a process beside the writer, which must have created the tables. */
  constructor(directory: string, { readOnly = false } = {}) {
    this.directory = directory;
    this.#tables = openTables(directory, readOnly);
    const format = this.counter('format', 0);
    if (format === 0 && !readOnly)
      this.#tables.root.transactionSync(() => this.setCounter('format', formatVersion));
    else if (format !== formatVersion) {
      throw new StoreError(
        'unavailable',
        `${directory} has the format ${format}, supported is ${formatVersion}`,
      );
    }
  }

  /** The tables that are open now: {@link reopen} replaces them. */
  get tables(): Tables {
    return this.#tables;
  }

  /** About so many bytes of the data file came into the memory of the process since it was opened. */
  get mappedBytes(): number {
    return this.#mappedBytes;
  }

  /** Notes that the pages of a value of so many bytes are read, written or freed. */
  noteMapped(byteLength: number): void {
    this.#mappedBytes += Math.ceil(byteLength / pageBytes) * pageBytes;
  }

  /**
   * Opens the data file again. LMDB maps it: each page that was read stays in the memory of the process, and the maps of a file that was
   * smaller stay too. No transaction may be open.
   */
  reopen(): void {
    // It closes immediately, because no writes of its own are pending.
    void this.#tables.root.close();
    this.#tables = openTables(this.directory, false);
    this.#mappedBytes = 0;
  }

  get revision(): number {
    return this.counter('revision', 1);
  }

  get compacted(): number {
    return this.counter('compacted', 0);
  }

  /** The records up to this revision are removed, and the values that only they needed. */
  get scrubbed(): number {
    return this.counter('scrubbed', 1);
  }

  counter(name: string, initial: number): number {
    return this.#tables.about.getBinaryFast(name)?.readDoubleBE(0) ?? initial;
  }

  /** Adds a write of a counter to a batch. */
  putCounter(batch: NativeBatch, name: string, value: number): void {
    // The encoding of such a short name as a key of a table of strings is its ASCII text.
    batch.put(this.#tables.about, Buffer.from(name), numberBytes(value));
  }

  setCounter(name: string, value: number): void {
    this.#tables.about.putSync(name, numberBytes(value));
  }

  head(key: string): Head | undefined {
    const bytes = this.#tables.keys.getBinaryFast(Buffer.from(key));
    return bytes && decodeHead(bytes);
  }

  scan(prefix: string, startKey: string, visit: (key: string, head: Head) => boolean | void): void {
    for (const { key, value } of this.#tables.keys.getRange(range(prefix, startKey))) {
      if (visit(key.toString('utf8'), decodeHead(value)) === false) return;
    }
  }

  count(prefix: string, startKey: string, endKey?: string): { count: number; next?: string } {
    const keys = range(prefix, startKey);
    if (endKey !== undefined) keys.end = Buffer.from(endKey);
    // LMDB skips the keys before the offset in one call.
    const [next] = this.#tables.keys.getKeys({ ...keys, offset: countedAtOnce, limit: 1 });
    if (next !== undefined) return { count: countedAtOnce, next: next.toString('utf8') };
    return { count: this.#tables.keys.getKeysCount(keys) };
  }

  record(revision: number): LogRecord {
    const bytes = this.#tables.log.get(numberBytes(revision));
    if (!bytes) throw new StoreError('unavailable', `revision ${revision} is missing in the log`);
    return decodeRecord(revision, bytes);
  }

  /** Yields the expiries that are not cleaned up: of all revisions, or some from one on. */
  *expiries(at: Reading & { from?: number; limit?: number } = {}): Generator<Expiry> {
    const { from, ...options } = at;
    const start = from === undefined ? {} : { start: numberBytes(from) };
    for (const { key, value } of this.#tables.expiry.getRange({ ...options, ...start })) {
      yield { revision: key.readDoubleBE(0), key: value.toString('utf8', 8), due: value.readDoubleBE(0) };
    }
  }

  /** Yields all live keys in order, with their encoded heads. */
  *heads(at: Reading = {}): Generator<[key: string, head: Buffer]> {
    for (const { key, value } of this.#tables.keys.getRange(at)) yield [key.toString('utf8'), value];
  }

  entry(key: string, head: Head): Entry {
    const value = this.#tables.values.get(numberBytes(head.modRevision));
    if (!value) throw new StoreError('unavailable', `the value of ${key} at ${head.modRevision} is missing`);
    this.noteMapped(value.byteLength);
    if (this.comparesChecksums) this.#compareChecksum(key, head, value);
    return { key, value, ...head };
  }

  /** Throws StoreError `damaged` if the current value of a key is not what was written. */
  #compareChecksum(key: string, { modRevision }: Head, value: Uint8Array): void {
    const bytes = this.#tables.keys.getBinaryFast(Buffer.from(key));
    if (bytes === undefined || decodeHead(bytes).modRevision !== modRevision || isValueWhole(bytes, value))
      return;
    throw new StoreError(
      'damaged',
      `the value of the key ${key} at revision ${modRevision} is not what was written`,
    );
  }
}

function openTables(directory: string, readOnly: boolean): Tables {
  // Overlapping sync would expose writes before they are durable.
  const root: Tables['root'] = open({
    path: directory,
    overlappingSync: false,
    encoding: 'binary',
    maxReaders: 32,
    readOnly,
    // The file contains secrets.
    permissionsMode: 0o600,
  } as lmdb.RootDatabaseOptionsWithPath);
  const table = (name: string): Table => root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' });
  const about: Tables['about'] = root.openDB({ name: 'about', encoding: 'binary' });
  return {
    root,
    keys: table('keys'),
    log: table('log'),
    values: table('values'),
    expiry: table('expiry'),
    about,
  };
}

function range(prefix: string, startKey: string): { start: Buffer; end: Buffer } {
  // UTF-8 has no byte 0xff, so this end sorts after every key with the prefix.
  const end = Buffer.concat([Buffer.from(prefix), Buffer.of(0xff)]);
  return { start: Buffer.from(startKey > prefix ? startKey : prefix), end };
}
