import { setImmediate } from 'node:timers/promises';
import { compactedError, type Head, type Ledger } from './ledger.ts';
import { StoreError } from './store.ts';

/** A key that was written since. */
export interface ChangedKey {
  /** What it was; absent where it was not there. */
  then: Head | undefined;
  /** Whether it is there now. */
  isThere: boolean;
}

interface Past {
  revision: number;
  changed: Map<string, ChangedKey>;
  /** The changes up to here are in it. */
  until: number;
}

/** Records that are read in a few milliseconds. */
const slice = 2000;
/** The pages of a few lists that are read side by side. */
const kept = 4;

/** What keys were at revisions of the past. It takes reading the log from there on, which is done once for all pages of a list. */
export class Pasts {
  readonly #ledger: Ledger;
  readonly #pasts = new Map<string, Past>();
  #closed = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /**
   * Calls with the keys under a prefix that changed after a revision, at a moment when nothing is missing; others have
   * their turn before. Throws StoreError `compacted` where the log no longer reaches back that far.
   */
  async read<T>(
    revision: number,
    prefix: string,
    use: (changed: ReadonlyMap<string, ChangedKey>) => T,
  ): Promise<T> {
    const past = this.#past(revision, prefix);
    for (; ; await setImmediate()) {
      if (this.#closed) throw new StoreError('unavailable', 'the store is closed');
      if (revision < this.#ledger.compacted) throw compactedError(revision, this.#ledger.compacted);
      this.#readOn(past, prefix);
      if (past.until === this.#ledger.revision) return use(past.changed);
    }
  }

  /** Ends what is being read: the ledger may not be touched any more. */
  close(): void {
    this.#closed = true;
    this.#pasts.clear();
  }

  #past(revision: number, prefix: string): Past {
    for (const [id, past] of this.#pasts) {
      if (past.revision < this.#ledger.compacted) this.#pasts.delete(id);
    }
    const id = `${revision} ${prefix}`;
    const past = this.#pasts.get(id) ?? { revision, changed: new Map(), until: revision };
    this.#pasts.delete(id);
    this.#pasts.set(id, past);
    const [oldest] = this.#pasts.keys();
    if (this.#pasts.size > kept && oldest !== undefined) this.#pasts.delete(oldest);
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
