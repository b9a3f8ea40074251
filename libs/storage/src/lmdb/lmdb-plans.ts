import { checkCompaction, type Head, type LogRecord, recordOf, refusal, type Write } from '../ledger.ts';
import type { Entry, StoreError } from '../store.ts';
import { encodeLiveHead, encodeRecord, numberBytes } from './ledger-format.ts';
import type { LmdbLedger } from './lmdb-ledger.ts';
import type { Plan } from './lmdb-writer.ts';
import { NativeBatch } from './native-batch.ts';

export type WriteOutcome =
  | { record: LogRecord; previous: Entry | undefined; refused?: undefined }
  | { refused: StoreError };

/** Plans writes, each of which sees those before. The values must not change until the plan is executed. */
export function planWrites(ledger: LmdbLedger, writes: readonly Write[], now: number): Plan<WriteOutcome[]> {
  const batch = new NativeBatch();
  const planned = new PlannedEntries(ledger);
  let { revision } = ledger;
  const result = writes.map((write): WriteOutcome => {
    const head = planned.head(write.key);
    const refused = refusal(planned, write, head);
    if (refused) return { refused };
    const record = recordOf(write, ++revision, head);
    const previous = head && planned.entry(write.key, head);
    planned.add(write, record);
    addWrite(batch, ledger, write, record, now);
    return { record, previous };
  });
  if (!batch.isEmpty) ledger.putCounter(batch, 'revision', revision);
  return { batch, result };
}

/** The entries of a ledger after the planned writes. */
class PlannedEntries {
  readonly #ledger: LmdbLedger;
  readonly #entries = new Map<string, { head: Head; value: Uint8Array } | undefined>();

  constructor(ledger: LmdbLedger) {
    this.#ledger = ledger;
  }

  head(key: string): Head | undefined {
    return this.#entries.has(key) ? this.#entries.get(key)?.head : this.#ledger.head(key);
  }

  entry(key: string, head: Head): Entry {
    const planned = this.#entries.get(key);
    return planned ? { key, value: planned.value, ...planned.head } : this.#ledger.entry(key, head);
  }

  add(write: Write, { head }: LogRecord): void {
    this.#entries.set(write.key, head && write.kind !== 'delete' ? { head, value: write.value } : undefined);
  }
}

function addWrite(
  batch: NativeBatch,
  ledger: LmdbLedger,
  write: Write,
  record: LogRecord,
  now: number,
): void {
  const { keys, log, values, expiry } = ledger.tables;
  const key = Buffer.from(write.key);
  const revision = numberBytes(record.revision);
  batch.put(log, revision, encodeRecord(record));
  if (write.kind === 'delete' || !record.head) {
    batch.remove(keys, key);
    return;
  }
  batch.put(keys, key, encodeLiveHead(record.head, write.value));
  batch.put(values, revision, write.value);
  ledger.noteMapped(write.value.byteLength);
  if (!write.ttlSeconds) return;
  const due = now + Math.ceil(write.ttlSeconds * 1000);
  batch.put(expiry, revision, Buffer.concat([numberBytes(due), key]));
}

/** Plans that history ends at this revision. */
export function planCompaction(ledger: LmdbLedger, revision: number): Plan<void> {
  checkCompaction(ledger, revision);
  const batch = new NativeBatch();
  ledger.putCounter(batch, 'compacted', revision);
  return { batch, result: undefined };
}

/** Plans the removal of at most so many records of the compacted history. The result is whether there are more. */
export function planScrub(ledger: LmdbLedger, limit: number): Plan<boolean> {
  const batch = new NativeBatch();
  const { compacted, scrubbed } = ledger;
  const end = Math.min(compacted, scrubbed + limit);
  for (let revision = scrubbed + 1; revision <= end; revision++) {
    const { previous } = ledger.record(revision);
    // A replaced value is not visible from the compacted revision on.
    if (previous) {
      const replaced = numberBytes(previous.modRevision);
      batch.remove(ledger.tables.values, replaced);
      ledger.noteMapped(1);
      batch.remove(ledger.tables.expiry, replaced);
    }
    batch.remove(ledger.tables.log, numberBytes(revision));
  }
  if (end > scrubbed) ledger.putCounter(batch, 'scrubbed', end);
  return { batch, result: end < compacted };
}
