import { AutoCompaction, type HistoryOptions } from './auto-compaction.ts';
import { ExpirySchedule } from './expiry-schedule.ts';
import {
  checkCompaction,
  getFrom,
  type Head,
  type Ledger,
  type LogRecord,
  recordOf,
  refusal,
  eventOf,
  type Write,
} from './ledger.ts';
import { listFrom } from './list-from.ts';
import { HistoricalReads } from './historical-reads.ts';
import { SortedMap } from './sorted-map.ts';
import {
  type Entry,
  type NewEntry,
  type Store,
  StoreError,
  type WatchOptions,
  type WriteOptions,
} from './store.ts';
import { WatchHub } from './watch-hub.ts';

/** The options of a memory store. */
export interface MemoryStoreOptions {
  /** How much history is kept. */
  history?: HistoryOptions;
}

/** Creates a store that lives as long as the process. */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options);
}

/** Heads are complete entries here, so that history shares the values instead of pointing to them. */
class MemoryLedger implements Ledger {
  revision = 1;
  compacted = 0;
  readonly #live = new SortedMap<Entry & Head>();
  #log: LogRecord[] = [];
  #logStart = 2;

  head(key: string): Head | undefined {
    return this.#live.get(key);
  }

  scan(prefix: string, startKey: string, visit: (key: string, head: Head) => boolean | void): void {
    this.#live.scan(prefix, startKey, visit);
  }

  count(prefix: string, startKey: string, endKey?: string): { count: number } {
    const count = this.#live.count(prefix, startKey);
    return { count: endKey === undefined ? count : count - this.#live.count(prefix, endKey) };
  }

  record(revision: number): LogRecord {
    return this.#log[revision - this.#logStart]!;
  }

  entry(_key: string, head: Head): Entry {
    return head as Entry & Head;
  }

  append(write: Write): LogRecord {
    const record = recordOf(write, this.revision + 1, this.head(write.key));
    if (record.head && write.kind !== 'delete') {
      const entry: Entry & Head = { key: write.key, value: write.value, ...record.head };
      record.head = entry;
      this.#live.set(write.key, entry);
    } else {
      this.#live.delete(write.key);
    }
    this.#log.push(record);
    this.revision = record.revision;
    return record;
  }

  compact(revision: number): void {
    this.#log.splice(0, revision + 1 - this.#logStart);
    this.#logStart = revision + 1;
    this.compacted = revision;
  }
}

class MemoryStore implements Store {
  readonly capabilities = { durable: false, shared: false, ttl: true, batches: true };
  readonly #ledger = new MemoryLedger();
  readonly #historicalReads = new HistoricalReads(this.#ledger, () => this.#checkOpen());
  readonly #hub = new WatchHub(this.#ledger);
  readonly #expiry = new ExpirySchedule((key, revision) => this.delete(key, revision));
  readonly #compaction: AutoCompaction;
  #closed = false;

  constructor(options: MemoryStoreOptions) {
    this.#compaction = new AutoCompaction(options.history, this.#ledger, (revision) =>
      this.compact(revision),
    );
  }

  get revision() {
    return this.#closed ? undefined : this.#ledger.revision;
  }

  get compacted() {
    return this.#ledger.compacted;
  }

  async currentRevision() {
    this.#checkOpen();
    return this.#ledger.revision;
  }

  async get(key: string, options: { revision?: number } = {}) {
    this.#checkOpen();
    return getFrom(this.#ledger, this.#historicalReads, key, options.revision);
  }

  async list(prefix: string, options = {}) {
    this.#checkOpen();
    return listFrom(this.#ledger, this.#historicalReads, prefix, options);
  }

  async create(key: string, value: Uint8Array, options: WriteOptions = {}) {
    return this.#write({ kind: 'create', key, value, ttlSeconds: options.ttlSeconds }).revision;
  }

  async createAll(entries: readonly NewEntry[]) {
    this.#checkOpen();
    if (entries.some(({ key }) => this.#ledger.head(key) !== undefined)) return undefined;
    return entries.map((entry) => this.#write({ kind: 'create', ...entry }).revision).at(-1);
  }

  async update(key: string, value: Uint8Array, expected: number, options: WriteOptions = {}) {
    return this.#write({ kind: 'update', key, value, expected, ttlSeconds: options.ttlSeconds }).revision;
  }

  async delete(key: string, expected?: number) {
    const { revision, previous } = this.#write({ kind: 'delete', key, expected });
    return { entry: this.#ledger.entry(key, previous!), revision };
  }

  watch(prefix: string, options: WatchOptions) {
    return this.#hub.watch(prefix, options);
  }

  async compact(revision: number) {
    this.#checkOpen();
    checkCompaction(this.#ledger, revision);
    this.#ledger.compact(revision);
  }

  async close() {
    this.#closed = true;
    this.#expiry.close();
    this.#compaction.close();
    this.#hub.close();
  }

  #write(write: Write): LogRecord {
    this.#checkOpen();
    const refused = refusal(this.#ledger, write, this.#ledger.head(write.key));
    if (refused) throw refused;
    const record = this.#ledger.append(write);
    if (write.kind !== 'delete' && write.ttlSeconds) {
      this.#expiry.add(write.key, record.revision, write.ttlSeconds * 1000);
    }
    this.#hub.publish([eventOf(this.#ledger, record)]);
    return record;
  }

  #checkOpen(): void {
    if (this.#closed) throw new StoreError('unavailable', 'the store is closed');
  }
}
