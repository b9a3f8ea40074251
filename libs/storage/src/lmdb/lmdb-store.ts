import { ownTurn } from '@annex/runtime';
import { AutoCompaction, type HistoryOptions } from '../auto-compaction.ts';
import type { DirectoryLock } from './directory-lock.ts';
import { ExpirySchedule } from '../expiry-schedule.ts';
import { deletedEntry, getFrom, type Write } from '../ledger.ts';
import { listFrom } from '../list-from.ts';
import { damagedError } from './check-store.ts';
import { writeCleanClose } from './clean-close.ts';
import { DataFile } from './data-file.ts';
import { maxKeyBytes } from './ledger-format.ts';
import type { LateCheck, LateCheckOutcome } from './late-check.ts';
import { LmdbLedger } from './lmdb-ledger.ts';
import { HistoricalReads } from '../historical-reads.ts';
import { LmdbWriter } from './lmdb-writer.ts';
import { planCompaction, planScrub, planWrites, type WriteOutcome } from './lmdb-plans.ts';
import {
  type ListOptions,
  type Store,
  StoreError,
  type StoreEvent,
  type WatchOptions,
  type WriteOptions,
} from '../store.ts';
import { WatchHub } from '../watch-hub.ts';
import { MappedFile, mappedFileCheckMs } from './mapped-file.ts';
import { dataFile } from './store-files.ts';
import { forgetStoreUse, writeStoreUse } from './store-use.ts';

/** The directory and the limits of an embedded store. */
export interface LmdbStoreOptions {
  /** The data directory, created if it is missing. One process at a time can lock it. */
  dir: string;
  /** How much history is kept for watches and reads at a revision. */
  history?: HistoryOptions;
  /** Larger values are refused as `tooLarge`. Default 1.5 MiB, as in etcd. */
  maxValueBytes?: number;
  /** Bytes of the data file in the memory of the process after which it is opened again. Default 32 MiB. */
  maxMappedBytes?: number;
  /** The delay after which a store is checked that was opened without a check. Default 1 s, when a start is over. */
  checkAfterMilliseconds?: number;
  /** Called once if the data file is damaged while the store is open; all later operations fail. */
  onDamage?: (error: StoreError) => void;
}

interface QueuedWrite {
  write: Write;
  resolve(outcome: Accepted): void;
  reject(error: Error): void;
}

type Accepted = Extract<WriteOutcome, { refused?: undefined }>;

/** A batch is planned without a pause: so many writes and bytes take some milliseconds. */
const batchLimit = 250;
const batchBytes = 4 * 1024 * 1024;
const mappedBytes = 32 * 1024 * 1024;
/** When a start is over, in milliseconds. */
const startMs = 1000;
const scrubLimit = 200;
/** Expiries that are read in one turn of the event loop. */
const scheduledAtOnce = 2000;
/** Under constant load, one slice of cleaning follows this many batches. */
const batchesPerScrub = 8;

/**
 * The embedded store on LMDB: reads and the plans of writes on this thread, commits on a thread of libuv's pool, grouped into
 * one flush to disk.
 */
export class LmdbStore implements Store {
  readonly capabilities = { durable: true, shared: false, ttl: true };
  readonly #lock: DirectoryLock;
  readonly #ledger: LmdbLedger;
  readonly #historicalReads: HistoricalReads;
  readonly #hub: WatchHub;
  readonly #writer: LmdbWriter;
  readonly #file: MappedFile;
  readonly #fileCheck: NodeJS.Timeout;
  readonly #compaction: AutoCompaction;
  readonly #expiry = new ExpirySchedule((key, revision) => this.delete(key, revision));
  readonly #maxValueBytes: number;
  readonly #maxMappedBytes: number;
  #queue: QueuedWrite[] = [];
  #running: Promise<void> | undefined;
  /** The last acknowledged revision: cheaper than to read the ledger. */
  #revision: number;
  #scrubbing: boolean;
  #closed = false;
  /** A disk operation failed: the next start must check the data file. */
  #hasFailed = false;
  /** The check of the data file, if it was not checked before it was opened. */
  readonly #check: LateCheck | undefined;
  #isChecked: boolean;

  /**
   * @param lock of a directory that is prepared; it is released when the store is closed.
   * @param Check if the data file is not checked yet.
   */
  constructor(options: LmdbStoreOptions, lock: DirectoryLock, Check?: typeof LateCheck) {
    const { dir, history, maxValueBytes = 1.5 * 1024 * 1024, checkAfterMilliseconds = startMs } = options;
    this.#maxValueBytes = maxValueBytes;
    this.#maxMappedBytes = options.maxMappedBytes ?? mappedBytes;
    this.#lock = lock;
    this.#ledger = new LmdbLedger(dir);
    this.#isChecked = Check === undefined;
    this.#ledger.comparesChecksums = !this.#isChecked;
    this.#check = Check && new Check(this.#ledger, checkAfterMilliseconds, (end) => this.#endCheck(end));
    this.#revision = this.#ledger.revision;
    this.#file = new MappedFile(dir, options.onDamage);
    this.#fileCheck = setInterval(() => this.#file.check(), mappedFileCheckMs).unref();
    this.#writer = new LmdbWriter(this.#ledger);
    this.#historicalReads = new HistoricalReads(this.#ledger, () => this.#checkOpen());
    this.#hub = new WatchHub(this.#ledger);
    this.#compaction = new AutoCompaction(history, this.#ledger, (revision) => this.compact(revision));
    this.#scrubbing = this.#ledger.scrubbed < this.#ledger.compacted;
    // Cleaning that the end of the last process interrupted continues when the start is over.
    if (this.#scrubbing) setTimeout(() => this.#run(), startMs).unref();
    this.#scheduleExpiries().catch(() => this.#fail());
  }

  get revision() {
    return this.#closed ? undefined : this.#revision;
  }

  get compacted() {
    return this.#closed ? undefined : this.#ledger.compacted;
  }

  async currentRevision() {
    this.#checkOpen();
    return this.#revision;
  }

  async get(key: string, options: { revision?: number } = {}) {
    this.#checkOpen();
    return getFrom(this.#ledger, this.#historicalReads, key, options.revision);
  }

  async list(prefix: string, options: ListOptions = {}) {
    this.#checkOpen();
    return listFrom(this.#ledger, this.#historicalReads, prefix, options);
  }

  async create(key: string, value: Uint8Array, options: WriteOptions = {}) {
    return (await this.#write({ kind: 'create', key, value, ttlSeconds: options.ttlSeconds })).record
      .revision;
  }

  async update(key: string, value: Uint8Array, expected: number, options: WriteOptions = {}) {
    const { ttlSeconds } = options;
    return (await this.#write({ kind: 'update', key, value, expected, ttlSeconds })).record.revision;
  }

  async delete(key: string, expected?: number) {
    const { record, previous } = await this.#write({ kind: 'delete', key, expected });
    return { entry: previous!, revision: record.revision };
  }

  watch(prefix: string, options: WatchOptions) {
    return this.#hub.watch(prefix, options);
  }

  async compact(revision: number) {
    this.#checkOpen();
    await this.#writer.execute((ledger) => planCompaction(ledger, revision));
    this.#scrubbing = true;
    this.#run();
  }

  async close() {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#fileCheck);
    this.#expiry.close();
    this.#compaction.close();
    this.#hub.close();
    while (this.#running) await this.#running;
    await this.#check?.stop();
    await this.#writer.close();
    if (!this.#hasFailed && this.#isChecked && this.#file.check() === undefined)
      writeCleanClose(this.#ledger.directory, this.#revision);
    forgetStoreUse(this.#ledger.directory);
    this.#lock.release();
  }

  #write(write: Write): Promise<Accepted> {
    const refused = this.#immediateError(write);
    if (refused) return Promise.reject(refused);
    const { promise, resolve, reject } = Promise.withResolvers<Accepted>();
    this.#queue.push({ write, resolve, reject });
    this.#run();
    return promise;
  }

  #immediateError(write: Write): StoreError | undefined {
    if (this.#closed) return closedError();
    if (Buffer.byteLength(write.key) > maxKeyBytes) {
      return new StoreError('tooLarge', `the key is longer than ${maxKeyBytes} bytes`);
    }
    if (write.kind !== 'delete' && write.value.byteLength > this.#maxValueBytes) {
      const { byteLength } = write.value;
      return new StoreError(
        'tooLarge',
        `the value has ${byteLength} bytes, the limit is ${this.#maxValueBytes}`,
      );
    }
    return undefined;
  }

  /** Keeps at most one request at the writer: concurrent writes are grouped into the next one. */
  #run(): void {
    this.#running ??= Promise.resolve()
      .then(() => this.#drain())
      .finally(() => {
        this.#running = undefined;
        if (this.#queue.length > 0) this.#run();
      });
  }

  async #drain(): Promise<void> {
    for (let batches = 1; this.#queue.length > 0 || (this.#scrubbing && !this.#closed); batches++) {
      if (this.#queue.length > 0) await this.#writeBatch(this.#takeBatch());
      if (this.#scrubbing && (this.#queue.length === 0 || batches % batchesPerScrub === 0))
        await this.#scrub();
      if (this.#ledger.mappedBytes > this.#maxMappedBytes) await this.#reopen();
    }
  }

  /** Frees the memory of pages that were read. The check of the data file needs the transaction of the start. */
  async #reopen(): Promise<void> {
    if (!this.#isChecked || this.#file.check() !== undefined) return;
    try {
      await this.#writer.reopen();
    } catch (error) {
      this.#fail();
      this.#file.fail(error as StoreError);
    }
  }

  #takeBatch(): QueuedWrite[] {
    let bytes = 0;
    const isBeyond = ({ write }: QueuedWrite, i: number): boolean => {
      bytes += write.kind === 'delete' ? 0 : write.value.byteLength;
      return i === batchLimit || (i > 0 && bytes > batchBytes);
    };
    const end = this.#queue.findIndex(isBeyond);
    return this.#queue.splice(0, end < 0 ? batchLimit : end);
  }

  async #writeBatch(batch: QueuedWrite[]): Promise<void> {
    try {
      this.#requireIntact(this.#file.check());
      const writes = batch.map(({ write }) => write);
      this.#settle(batch, await this.#writer.execute((ledger) => planWrites(ledger, writes, Date.now())));
    } catch (error) {
      const { code } = error as StoreError;
      if (batch.length > 1 && code === 'noSpace') return this.#writeSingly(batch);
      if (code === 'unavailable') this.#fail();
      if (code !== 'damaged') this.#revision = this.#ledger.revision;
      for (const { reject } of batch) reject(error as Error);
    }
  }

  /**
   * If there is not enough space for the whole batch, a deletion must not fail because of a large object next
   * to it.
   */
  async #writeSingly(batch: QueuedWrite[]): Promise<void> {
    for (const write of batch) await this.#writeBatch([write]);
  }

  #settle(batch: QueuedWrite[], outcomes: WriteOutcome[]): void {
    const events: StoreEvent[] = [];
    outcomes.forEach((outcome, i) => {
      const { write } = batch[i]!;
      if (outcome.refused) return;
      events.push(eventOfWrite(write, outcome));
      this.#revision = outcome.record.revision;
      if (write.kind !== 'delete' && write.ttlSeconds) {
        this.#expiry.add(write.key, outcome.record.revision, write.ttlSeconds * 1000);
      }
    });
    if (events.length > 0) this.#hub.publish(events);
    outcomes.forEach((outcome, i) => {
      if (outcome.refused) batch[i]!.reject(outcome.refused);
      else batch[i]!.resolve(outcome);
    });
  }

  async #scrub(): Promise<void> {
    try {
      this.#scrubbing = await this.#writer.execute((ledger) => planScrub(ledger, scrubLimit));
    } catch {
      // The next compaction tries again.
      this.#scrubbing = false;
    }
  }

  /** Schedules the expiries of the last process, some in each turn of the event loop. */
  async #scheduleExpiries(): Promise<void> {
    const last = this.#ledger.revision;
    for (let from = 0; from <= last && !this.#closed; await ownTurn()) {
      const now = Date.now();
      const expiries = [...this.#ledger.expiries({ from, limit: scheduledAtOnce })];
      for (const { revision, key, due } of expiries) {
        // Those that were written since are scheduled already.
        if (revision <= last) this.#expiry.add(key, revision, due - now);
      }
      from = expiries.length < scheduledAtOnce ? Infinity : (expiries.at(-1)?.revision ?? last) + 1;
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw closedError();
    this.#requireIntact(this.#file.damage);
  }

  /** A kill must not hide that the disk failed. */
  #fail(): void {
    this.#hasFailed = true;
    forgetStoreUse(this.#ledger.directory);
  }

  #endCheck(end: LateCheckOutcome): void {
    if (end === 'failed') return;
    const { directory } = this.#ledger;
    if (end.damage !== undefined)
      return this.#file.fail(damagedError(directory, `${dataFile(directory)} ${end.damage}`));
    this.#isChecked = true;
    this.#ledger.comparesChecksums = false;
    using file = new DataFile(dataFile(directory));
    if (!this.#hasFailed) writeStoreUse(directory, file, true);
  }

  #requireIntact(damage: StoreError | undefined): void {
    if (damage !== undefined) throw damage;
  }
}

function eventOfWrite(write: Write, { record, previous }: Accepted): StoreEvent {
  const { key, head, revision } = record;
  const event: StoreEvent =
    head && write.kind !== 'delete'
      ? { type: 'put', entry: { key, value: write.value, ...head } }
      : { type: 'delete', entry: deletedEntry(key, revision) };
  if (previous) event.previous = previous;
  return event;
}

function closedError(): StoreError {
  return new StoreError('unavailable', 'the store is closed');
}
