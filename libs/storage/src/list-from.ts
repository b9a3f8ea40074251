import { createPacer } from '@annex/runtime';
import { type ChangedKey, type ChangeReader, type Head, type Ledger, readableRevision } from './ledger.ts';
import type { SortedMap } from './sorted-map.ts';
import { type Entry, type ListOptions, type ListResult, StoreError } from './store.ts';

/** Changed keys that one slice of a list reads or counts: less than a millisecond. */
const changesAtOnce = 1000;

/**
 * Lists a prefix, at the current or an earlier revision, in time slices. What is written between them is known from the log, so the
 * list is a snapshot all the same.
 */
export async function listFrom(
  ledger: Ledger,
  historicalReads: ChangeReader,
  prefix: string,
  options: ListOptions = {},
): Promise<ListResult> {
  const revision = readableRevision(ledger, options.revision);
  try {
    return await new Listing(ledger, historicalReads, prefix, revision, options).read();
  } catch (error) {
    const isCompacted = error instanceof StoreError && error.code === 'compacted';
    if (!isCompacted || options.revision) throw error;
    // The current revision was compacted before the end of the list.
    return await listFrom(ledger, historicalReads, prefix, options);
  }
}

/** One list while it is read. */
class Listing {
  readonly #ledger: Ledger;
  readonly #changes: ChangeReader;
  readonly #prefix: string;
  readonly #revision: number;
  readonly #options: ListOptions;
  readonly #limit: number;
  readonly #pace = createPacer();
  readonly #entries: Entry[] = [];
  /** The first key of the next slice; undefined at the end. */
  #next: string | undefined;
  #more = false;
  #paused: Promise<void> | undefined;

  constructor(ledger: Ledger, changes: ChangeReader, prefix: string, revision: number, options: ListOptions) {
    this.#ledger = ledger;
    this.#changes = changes;
    this.#prefix = prefix;
    this.#revision = revision;
    this.#options = options;
    this.#limit = options.limit || Infinity;
    this.#next = options.startKey ?? prefix;
  }

  async read(): Promise<ListResult> {
    const isPast = this.#revision !== this.#ledger.revision;
    const changes = this.#changes.since(this.#revision, this.#prefix, isPast);
    while (this.#next !== undefined && !this.#more) {
      const from = this.#next;
      await changes.read((changed) => this.#readSlice(changed, from));
      if (this.#paused !== undefined) await this.#paused;
    }
    let count = this.#entries.length;
    if (this.#options.uncounted) this.#next = undefined;
    while (this.#next !== undefined) {
      const from = this.#next;
      count += await changes.read((changed) => this.#countSlice(changed, from));
      const paused = this.#pace();
      if (paused !== undefined) await paused;
    }
    return { entries: this.#entries, revision: this.#revision, more: this.#more, count };
  }

  /** Reads live keys without a change since the revision, and the old heads of the others, in order. */
  #readSlice(changed: SortedMap<ChangedKey>, from: string): void {
    const past: [key: string, head: Head][] = [];
    const end = this.#scanChanges(changed, from, (key, { then }) => {
      if (then) past.push([key, then]);
    });
    this.#next = end;
    this.#paused = undefined;
    let at = 0;
    const takePast = (until?: string): boolean => {
      for (; at < past.length && (until === undefined || past[at]![0] <= until); at++)
        if (!this.#take(...past[at]!)) return false;
      return true;
    };
    let isOver = false;
    this.#ledger.scan(this.#prefix, from, (key, head) => {
      if (end !== undefined && key >= end) return false;
      isOver = !(takePast(key) && (changed.get(key) === undefined ? this.#take(key, head) : this.#skip(key)));
      return !isOver;
    });
    if (!isOver) takePast();
  }

  /** Adds an entry. Returns false at the end of a slice. */
  #take(key: string, head: Head): boolean {
    this.#more = this.#entries.length >= this.#limit;
    if (this.#more) {
      this.#next = key;
      return false;
    }
    this.#entries.push(this.#ledger.entry(key, head));
    return this.#skip(key);
  }

  #skip(key: string): boolean {
    this.#paused = this.#pace();
    if (this.#paused !== undefined) this.#next = `${key}\0`;
    return this.#paused === undefined;
  }

  /** Counts live keys, and corrects that by the changes among them. */
  #countSlice(changed: SortedMap<ChangedKey>, from: string): number {
    const end = this.#scanChanges(changed, from, () => undefined);
    const live = this.#ledger.count(this.#prefix, from, end);
    const next = live.next ?? end;
    this.#next = next;
    let { count } = live;
    changed.scan(this.#prefix, from, (key, { then, isThere }) => {
      if (next !== undefined && key >= next) return false;
      count += Number(then !== undefined) - Number(isThere);
      return true;
    });
    return count;
  }

  /** Visits some changed keys; returns the first one that is left out. */
  #scanChanges(
    changed: SortedMap<ChangedKey>,
    from: string,
    visit: (key: string, change: ChangedKey) => void,
  ): string | undefined {
    let visited = 0;
    let next: string | undefined;
    changed.scan(this.#prefix, from, (key, change) => {
      if (visited++ === changesAtOnce) next = key;
      else visit(key, change);
      return next === undefined;
    });
    return next;
  }
}
