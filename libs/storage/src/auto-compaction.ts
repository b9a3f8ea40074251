import { type Clock, systemClock, type Timer } from '@annex/runtime';

/**
 * How much history an embedded store keeps: compaction removes a revision beyond the first two limits, or
 * beyond the third.
 */
export interface HistoryOptions {
  /** The newest revisions that are kept at any age. Default 10,000. */
  revisions?: number;
  /** Younger revisions are kept. Default 5 minutes. */
  milliseconds?: number;
  /** The most revisions that are kept. Default 100,000. */
  maxRevisions?: number;
}

const sampleMilliseconds = 15_000;

/** Compacts in the background, by the number and the age of revisions. */
export class AutoCompaction {
  readonly #timer: Timer;
  readonly #clock: Pick<Clock, 'monotonic' | 'setInterval'>;
  readonly #samples: { time: number; revision: number }[] = [];

  constructor(
    history: HistoryOptions = {},
    ledger: { readonly revision: number; readonly compacted: number },
    compact: (revision: number) => Promise<void>,
    clock: Pick<Clock, 'monotonic' | 'setInterval'> = systemClock,
  ) {
    this.#clock = clock;
    const { revisions = 10_000, milliseconds = 300_000, maxRevisions = 100_000 } = history;
    const interval = Math.max(10, Math.min(sampleMilliseconds, milliseconds));
    this.#timer = clock.setInterval(() => {
      const { revision } = ledger;
      const target = Math.max(this.#target(revision, revisions, milliseconds), revision - maxRevisions);
      // A failed compaction is harmless: the next round tries again.
      if (target > ledger.compacted) compact(target).catch(() => {});
    }, interval);
  }

  close(): void {
    this.#timer.cancel();
  }

  #target(revision: number, revisions: number, milliseconds: number): number {
    const now = this.#clock.monotonic();
    this.#samples.push({ time: now, revision });
    while (this.#samples[1] && this.#samples[1].time <= now - milliseconds) this.#samples.shift();
    const oldest = this.#samples[0]!;
    return oldest.time <= now - milliseconds ? Math.min(oldest.revision, revision - revisions) : 0;
  }
}
