import { createPacer, ownTurn } from '@annex/runtime';
import { compactedError, eventOf, type Ledger } from './ledger.ts';
import { StoreError, type StoreEvent, type WatchBatch, type WatchOptions } from './store.ts';

const batchLimit = 500;
const batchBytes = 1024 * 1024;
/** The newest events are kept decoded up to these limits; older ones are read from the log again. */
const tailLimit = 1000;
const tailBytes = 4 * 1024 * 1024;

/** Records of the log that are read between two looks at the clock. */
const recordsAtOnce = 32;
/** A watcher with more revisions to read begins in a turn of the event loop of its own. */
const fewRevisions = 100;
/** Watchers that continue in one turn of the event loop. */
const wokenAtOnce = 100;

interface Watcher {
  prefix: string;
  /** Events up to this revision were delivered. */
  position: number;
  progress: boolean;
  /** Set while the consumer waits for the next batch. */
  wake: (() => void) | undefined;
}

/** A part of the work for a watcher. */
interface Step {
  batch?: WatchBatch | undefined;
  /** The time slice is used up: resolves in a later turn of the event loop. */
  paused?: Promise<void> | undefined;
}

/**
 * Serves the watches of a ledger. A watcher is a position in the log and not a queue: a slow consumer costs
 * no memory, and one that falls behind compaction receives an error. All watchers share the decoded newest
 * events.
 */
export class WatchHub {
  readonly #ledger: Ledger;
  readonly #watchers = new Set<Watcher>();
  #tail: StoreEvent[] = [];
  #tailStart: number;
  #tailBytes = 0;
  #closed = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
    this.#tailStart = ledger.revision + 1;
  }

  /** Notifies the watchers of the revisions after the last published one, after the ledger contains them. */
  publish(events: StoreEvent[]): void {
    for (const event of events) {
      this.#tail.push(event);
      this.#tailBytes += bytesOf(event);
    }
    // Shortens at twice the limit, so that dropping has a low cost per event.
    if (this.#tail.length > 2 * tailLimit || this.#tailBytes > 2 * tailBytes) this.#shorten();
    const revision = this.#tailEnd;
    const due: Watcher[] = [];
    for (const watcher of this.#watchers) {
      if (!watcher.wake) continue;
      const isConcerned = ({ entry }: StoreEvent) =>
        entry.modRevision > watcher.position && entry.key.startsWith(watcher.prefix);
      if (watcher.progress || events.some(isConcerned)) due.push(watcher);
      else if (revision > watcher.position) watcher.position = revision;
    }
    void wakeAll(due);
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<WatchBatch, void, void> {
    const { fromRevision, signal, progress = false } = options;
    // Revision 1 is the empty store: it has no event.
    const watcher: Watcher = { prefix, position: Math.max(1, fromRevision), progress, wake: undefined };
    const wake = () => watcher.wake?.();
    this.#watchers.add(watcher);
    signal.addEventListener('abort', wake);
    try {
      if (this.#tailEnd - watcher.position > fewRevisions) await ownTurn();
      for (let pace = createPacer(); !signal.aborted;) {
        const { batch, paused } = this.#next(watcher, pace);
        if (batch) yield batch;
        if (paused !== undefined) await paused;
        else if (!batch) {
          await new Promise<void>((resolve) => (watcher.wake = resolve));
          pace = createPacer();
        }
        watcher.wake = undefined;
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.#watchers.delete(watcher);
    }
  }

  close(): void {
    this.#closed = true;
    for (const watcher of this.#watchers) watcher.wake?.();
  }

  /**
   * The newest revision that may be delivered: a ledger may already contain writes that are not acknowledged
   * yet.
   */
  get #tailEnd(): number {
    return this.#tailStart + this.#tail.length - 1;
  }

  #shorten(): void {
    let dropped = 0;
    while (this.#tail.length - dropped > tailLimit || this.#tailBytes > tailBytes) {
      this.#tailBytes -= bytesOf(this.#tail[dropped++]!);
    }
    this.#tail.splice(0, dropped);
    this.#tailStart += dropped;
  }

  #next(watcher: Watcher, pace: () => Promise<void> | undefined): Step {
    if (this.#closed) throw new StoreError('unavailable', 'the store is closed');
    const start = watcher.position;
    const end = this.#tailEnd;
    if (start < this.#ledger.compacted) throw compactedError(start, this.#ledger.compacted);
    if (start >= end) return {};
    const events: StoreEvent[] = [];
    let revision = start;
    let bytes = 0;
    let paused: Promise<void> | undefined;
    while (revision < end && events.length < batchLimit && bytes < batchBytes) {
      if ((revision - start) % recordsAtOnce === 0 && (paused = pace()) !== undefined) break;
      revision++;
      const event = this.#event(revision, watcher.prefix);
      if (!event) continue;
      events.push(event);
      bytes += bytesOf(event);
    }
    watcher.position = revision;
    const isEmpty = events.length === 0 && (!watcher.progress || revision < end);
    return { batch: isEmpty ? undefined : { revision, events }, paused };
  }

  #event(revision: number, prefix: string): StoreEvent | undefined {
    const recent = this.#tail[revision - this.#tailStart];
    if (recent) return recent.entry.key.startsWith(prefix) ? recent : undefined;
    const record = this.#ledger.record(revision);
    return record.key.startsWith(prefix) ? eventOf(this.#ledger, record) : undefined;
  }
}

async function wakeAll(watchers: readonly Watcher[]): Promise<void> {
  for (let i = 0; i < watchers.length; i += wokenAtOnce) {
    if (i > 0) await ownTurn();
    for (const { wake } of watchers.slice(i, i + wokenAtOnce)) wake?.();
  }
}

function bytesOf({ entry, previous }: StoreEvent): number {
  return entry.value.byteLength + (previous?.value.byteLength ?? 0);
}
