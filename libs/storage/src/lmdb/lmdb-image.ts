import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Entry, StoreError } from '../store.ts';
import { LmdbLedger, numberBytes, type Reading } from './lmdb-ledger.ts';

/** An entry with all that its store knows of it. */
export interface ImageEntry extends Required<Entry> {
  /** When the store deletes it, in milliseconds since the epoch. */
  expiresAt?: number;
}

/** What an embedded store held at one revision. */
export interface StoreImage extends Disposable {
  readonly revision: number;
  /** How many entries there are. */
  readonly count: number;
  /** In the order of their keys, read while they are taken. */
  entries(): Iterable<ImageEntry>;
}

/** The file with everything that a directory of the embedded store holds. */
export const dataFile = (dir: string): string => join(dir, 'data.mdb');

/** See `openStoreImage`. */
export function openLmdbImage(dir: string): StoreImage {
  if (!existsSync(dataFile(dir))) throw new StoreError('notFound', `${dir} holds no store`);
  const ledger = new LmdbLedger(dir, { readOnly: true });
  const at: Reading = { transaction: ledger.root.useReadTransaction() };
  return {
    revision: ledger.about.get('revision', at)?.readDoubleBE(0) ?? 1,
    // It notes in its options that it counts.
    count: ledger.keys.getKeysCount({ ...at }),
    entries: () => entriesOf(ledger, at),
    [Symbol.dispose]() {
      at.transaction?.done();
      void ledger.root.close();
    },
  };
}

function* entriesOf(ledger: LmdbLedger, at: Reading): Generator<ImageEntry> {
  const dueTimes = new Map([...ledger.expiries(at)].map(({ revision, due }) => [revision, due]));
  for (const [key, head] of ledger.heads(at)) {
    const value = ledger.values.get(numberBytes(head.modRevision), at);
    if (!value) throw new StoreError('unavailable', `the value of ${key} is missing`);
    const expiresAt = dueTimes.get(head.modRevision);
    yield { key, value, ...head, ...(expiresAt === undefined ? {} : { expiresAt }) };
  }
}
