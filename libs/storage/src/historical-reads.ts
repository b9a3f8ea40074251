import { ownTurn } from '@annex/runtime';
import { type ChangedKey, type ChangeReader, compactedError, type Ledger } from './ledger.ts';
import { SortedMap } from './sorted-map.ts';
import { StoreError } from './store.ts';

interface Past {
  revision: number;
  changed: SortedMap<ChangedKey>;
  /** Changes up to this revision are included. */
  until: number;
}

/** Records that are read in a few milliseconds. */
const slice = 2000;
/** Concurrent paginated lists whose changes are kept. */
const cachedReads = 4;

/**
 * Computes the heads of keys at earlier revisions. It reads the log from there on, once for all pages of a
 * list.
 */
export class HistoricalReads implements ChangeReader {
  readonly #ledger: Ledger;
  readonly #reads = new Map<string, Past>();
  #closed = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async read<T>(revision: number, prefix: string, use: (changed: SortedMap<ChangedKey>) => T): Promise<T> {
    const past = this.#past(revision, prefix);
    for (; ; await ownTurn()) {
      if (this.#closed) throw new StoreError('unavailable', 'the store is closed');
      if (revision < this.#ledger.compacted) throw compactedError(revision, this.#ledger.compacted);
      this.#readOn(past, prefix);
      if (past.until === this.#ledger.revision) return use(past.changed);
    }
  }

  /** Ends all reads: the ledger must not be used afterwards. */
  close(): void {
    this.#closed = true;
    this.#reads.clear();
  }

  #past(revision: number, prefix: string): Past {
    for (const [id, past] of this.#reads) {
      if (past.revision < this.#ledger.compacted) this.#reads.delete(id);
    }
    const id = `${revision} ${prefix}`;
    const past = this.#reads.get(id) ?? { revision, changed: new SortedMap(), until: revision };
    this.#reads.delete(id);
    this.#reads.set(id, past);
    const [oldest] = this.#reads.keys();
    if (this.#reads.size > cachedReads && oldest !== undefined) this.#reads.delete(oldest);
    return past;
  }

  #readOn(past: Past, prefix: string): void {
    const end = Math.min(this.#ledger.revision, past.until + slice);
    while (past.until < end) {
      const { key, head, previous } = this.#ledger.record(++past.until);
      if (!key.startsWith(prefix)) continue;
      const known = past.changed.get(key);
      if (known) known.isThere = head !== undefined;
      else past.changed.set(key, { then: previous, isThere: head !== undefined });
    }
  }
}
