import { type Entry, StoreError } from '../store.ts';
import { checkHeldStore, checkStore } from './check-store.ts';
import { holderOfDirectory } from './directory-lock.ts';
import { decodeHead, isValueWhole, numberBytes } from './ledger-format.ts';
import { LmdbLedger, type Reading } from './lmdb-ledger.ts';
import { dataFile, statOf } from './store-files.ts';

/** An entry with all its stored attributes. */
export interface ImageEntry extends Required<Omit<Entry, 'stale' | 'unreadable'>> {
  /** When the store deletes it, in milliseconds since the epoch. */
  expiresAt?: number;
}

/** The content of an embedded store at one revision. */
export interface StoreImage extends Disposable {
  readonly revision: number;
  /** The number of entries. */
  readonly count: number;
  /** Iterates in key order; each entry is read when the iterator reaches it. */
  entries(): Iterable<ImageEntry>;
}

/** See `openStoreImage`. */
export async function openLmdbImage(dir: string): Promise<StoreImage> {
  if (!statOf(dataFile(dir))) throw new StoreError('notFound', `${dir} contains no store`);
  await checkForReading(dir);
  const ledger = new LmdbLedger(dir, { readOnly: true });
  const at: Reading = { transaction: ledger.tables.root.useReadTransaction() };
  return {
    revision: ledger.tables.about.get('revision', at)?.readDoubleBE(0) ?? 1,
    // getKeysCount modifies its options.
    count: ledger.tables.keys.getKeysCount({ ...at }),
    entries: () => entriesOf(ledger, at),
    [Symbol.dispose]() {
      at.transaction?.done();
      void ledger.tables.root.close();
    },
  };
}

async function checkForReading(dir: string): Promise<void> {
  if (holderOfDirectory(dir) !== undefined) return checkHeldStore(dir);
  try {
    await checkStore(dir);
  } catch (error) {
    // A process that starts to write changes the pages during the check.
    if (holderOfDirectory(dir) === undefined) throw error;
  }
}

function* entriesOf(ledger: LmdbLedger, at: Reading): Generator<ImageEntry> {
  const dueTimes = new Map([...ledger.expiries(at)].map(({ revision, due }) => [revision, due]));
  for (const [key, bytes] of ledger.heads(at)) {
    const head = decodeHead(bytes);
    const value = ledger.tables.values.get(numberBytes(head.modRevision), at);
    if (!value) throw new StoreError('damaged', `the value of ${key} is missing`);
    if (!isValueWhole(bytes, value))
      throw new StoreError('damaged', `the value of ${key} at ${head.modRevision} is not what was written`);
    const due = dueTimes.get(head.modRevision);
    // Earlier versions stored fractions of milliseconds.
    yield { key, value, ...head, ...(due === undefined ? {} : { expiresAt: Math.ceil(due) }) };
  }
}
