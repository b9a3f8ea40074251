import { createPacer } from '@annex/runtime';
import {
  type ChangedKey,
  type ChangeReader,
  type Changes,
  compactedError,
  type Ledger,
  type LogRecord,
} from './ledger.ts';
import { SortedMap } from './sorted-map.ts';

interface Past {
  revision: number;
  changed: SortedMap<ChangedKey>;
  /** Changes up to this revision are included. */
  until: number;
}

/** Records that are read between two looks at the clock, so that reading is faster than writing at any load. */
const recordsAtOnce = 32;
/** Concurrent paginated lists whose changes are kept. */
const cachedReads = 4;

/**
 * Computes the heads of keys at earlier revisions. It reads the log from there on, once for all pages of a
 * list.
 */
export class HistoricalReads implements ChangeReader {
  readonly #ledger: Ledger;
  readonly #reads = new Map<string, Past>();
  readonly #checkOpen: () => void;

  /** @param checkOpen throws if the ledger must not be used any more. */
  constructor(ledger: Ledger, checkOpen: () => void) {
    this.#ledger = ledger;
    this.#checkOpen = checkOpen;
  }

  since(revision: number, prefix: string, kept: boolean): Changes {
    const past = kept ? this.#past(revision, prefix) : newPast(revision);
    return { read: (use) => this.#read(past, prefix, use) };
  }

  #past(revision: number, prefix: string): Past {
    for (const [id, past] of this.#reads) {
      if (past.revision < this.#ledger.compacted) this.#reads.delete(id);
    }
    const id = `${revision} ${prefix}`;
    const past = this.#reads.get(id) ?? newPast(revision);
    this.#reads.delete(id);
    this.#reads.set(id, past);
    const [oldest] = this.#reads.keys();
    if (this.#reads.size > cachedReads && oldest !== undefined) this.#reads.delete(oldest);
    return past;
  }

  async #read<T>(past: Past, prefix: string, use: (changed: SortedMap<ChangedKey>) => T): Promise<T> {
    const pace = createPacer();
    for (;;) {
      this.#checkOpen();
      const { compacted, revision } = this.#ledger;
      if (past.revision < compacted) throw compactedError(past.revision, compacted);
      let paused: Promise<void> | undefined;
      while (past.until < revision && paused === undefined) {
        noteChange(past.changed, prefix, this.#ledger.record(++past.until));
        if (past.until % recordsAtOnce === 0) paused = pace();
      }
      if (past.until === revision) return use(past.changed);
      await paused;
    }
  }
}

const newPast = (revision: number): Past => ({ revision, changed: new SortedMap(), until: revision });

function noteChange(
  changed: SortedMap<ChangedKey>,
  prefix: string,
  { key, head, previous }: LogRecord,
): void {
  if (!key.startsWith(prefix)) return;
  const known = changed.get(key);
  if (known) known.isThere = head !== undefined;
  else changed.set(key, { then: previous, isThere: head !== undefined });
}
