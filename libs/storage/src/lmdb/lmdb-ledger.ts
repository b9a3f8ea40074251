import { createRequire } from 'node:module';
import type * as lmdb from 'lmdb';
import type { Head, Ledger, LogRecord } from '../ledger.ts';
import { type Entry, StoreError } from '../store.ts';

// Its one CommonJS file loads in half the time of its ES modules.
const { open } = createRequire(import.meta.url)('lmdb') as typeof lmdb;

/** Reads of one moment, where a transaction is given. */
export type Reading = Pick<lmdb.RangeOptions, 'transaction'>;

type Table = lmdb.Database<Buffer, Buffer>;

const formatVersion = 1;

/** Longer keys do not fit into a page of LMDB. */
export const maxKeyBytes = 1900;

/**
 * The tables of a directory. `keys`: key → head; `log`: revision → record; `values`: revision → bytes of that write;
 * `expiry`: revision → due time and key; `about`: the counters. A value is written once and found by the revision of its write,
 * for as long as its key has it or history can show it.
 */
export class LmdbLedger implements Ledger {
  readonly directory: string;
  readonly root: lmdb.RootDatabase<Buffer, string>;
  readonly keys: Table;
  readonly log: Table;
  readonly values: Table;
  readonly expiry: Table;
  readonly about: lmdb.Database<Buffer, string>;

  /** @param readOnly beside a process that writes, which must have made the tables. */
  constructor(directory: string, { readOnly = false } = {}) {
    this.directory = directory;
    // Overlapping sync would show writes before they are on the disk.
    this.root = open({
      path: directory,
      overlappingSync: false,
      encoding: 'binary',
      maxReaders: 32,
      readOnly,
    });
    const table = (name: string): Table =>
      this.root.openDB({ name, keyEncoding: 'binary', encoding: 'binary' });
    this.keys = table('keys');
    this.log = table('log');
    this.values = table('values');
    this.expiry = table('expiry');
    this.about = this.root.openDB({ name: 'about', encoding: 'binary' });
    const format = this.counter('format', 0);
    if (format === 0 && !readOnly) this.root.transactionSync(() => this.setCounter('format', formatVersion));
    else if (format !== formatVersion) {
      throw new StoreError('unavailable', `${directory} has the format ${format}, known is ${formatVersion}`);
    }
  }

  get revision(): number {
    return this.counter('revision', 1);
  }

  get compacted(): number {
    return this.counter('compacted', 0);
  }

  /** The records up to here are removed, and the values that only they needed. */
  get scrubbed(): number {
    return this.counter('scrubbed', 1);
  }

  counter(name: string, initial: number): number {
    return this.about.getBinaryFast(name)?.readDoubleBE(0) ?? initial;
  }

  setCounter(name: string, value: number): void {
    this.about.putSync(name, numberBytes(value));
  }

  head(key: string): Head | undefined {
    const bytes = this.keys.getBinaryFast(Buffer.from(key));
    return bytes && decodeHead(bytes);
  }

  scan(prefix: string, startKey: string, visit: (key: string, head: Head) => boolean | void): void {
    for (const { key, value } of this.keys.getRange(range(prefix, startKey))) {
      if (visit(key.toString('utf8'), decodeHead(value)) === false) return;
    }
  }

  count(prefix: string, startKey: string): number {
    return this.keys.getKeysCount(range(prefix, startKey));
  }

  record(revision: number): LogRecord {
    const bytes = this.log.get(numberBytes(revision));
    if (!bytes) throw new StoreError('unavailable', `revision ${revision} is missing in the log`);
    return decodeRecord(revision, bytes);
  }

  /** The writes that asked for a deletion at a time, as far as they are not cleaned up. */
  *expiries(at: Reading = {}): Generator<{ revision: number; key: string; due: number }> {
    for (const { key, value } of this.expiry.getRange(at)) {
      yield { revision: key.readDoubleBE(0), key: value.toString('utf8', 8), due: value.readDoubleBE(0) };
    }
  }

  /** All live keys in their order. */
  *heads(at: Reading = {}): Generator<[key: string, head: Head]> {
    for (const { key, value } of this.keys.getRange(at)) yield [key.toString('utf8'), decodeHead(value)];
  }

  entry(key: string, head: Head): Entry {
    const value = this.values.get(numberBytes(head.modRevision));
    if (!value) throw new StoreError('unavailable', `the value of ${key} at ${head.modRevision} is missing`);
    return { key, value, ...head };
  }
}

function range(prefix: string, startKey: string): { start: Buffer; end: Buffer } {
  // UTF-8 has no byte 0xff: this end lies behind every key with the prefix.
  const end = Buffer.concat([Buffer.from(prefix), Buffer.of(0xff)]);
  return { start: Buffer.from(startKey > prefix ? startKey : prefix), end };
}

/** A revision or a time as eight bytes that sort as the number does. */
export function numberBytes(value: number): Buffer {
  return numbers(value);
}

/** Numbers as they are stored behind each other. */
function numbers(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(8 * values.length);
  values.forEach((value, i) => bytes.writeDoubleBE(value, 8 * i));
  return bytes;
}

/** A head as it is stored under its key. */
export function encodeHead(head: Head): Buffer {
  return numbers(head.createRevision, head.modRevision, head.version);
}

function decodeHead(bytes: Buffer, at = 0): Head {
  return {
    createRevision: bytes.readDoubleBE(at),
    modRevision: bytes.readDoubleBE(at + 8),
    version: bytes.readDoubleBE(at + 16),
  };
}

const nothing: Head = { createRevision: 0, modRevision: 0, version: 0 };

/** A record as it is stored under its revision: the new head, the previous one, zeros for what is absent, the key. */
export function encodeRecord({ key, head, previous }: LogRecord): Buffer {
  return Buffer.concat([encodeHead(head ?? nothing), encodeHead(previous ?? nothing), Buffer.from(key)]);
}

function decodeRecord(revision: number, bytes: Buffer): LogRecord {
  const record: LogRecord = { revision, key: bytes.toString('utf8', 48) };
  const head = decodeHead(bytes);
  const previous = decodeHead(bytes, 24);
  if (head.modRevision > 0) record.head = head;
  if (previous.modRevision > 0) record.previous = previous;
  return record;
}
