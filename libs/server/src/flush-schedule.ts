/** Flushes of one turn of the event loop: each takes about 30 µs, with its encryption. */
export const flushesPerTurn = 256;

/** After a round of flushes, the next one begins so many milliseconds later for each of them, so that more events share it. */
const restMsPerFlush = 0.1;

/** The longest time for which an event waits for others, in milliseconds. */
export const longestRestMs = 10;

/** A timer is not more exact than this, in milliseconds: few flushes need no rest. */
const shortestRestMs = 1;

/**
 * When the events of watches are written. A watch among few is written at the end of the turn. To write to hundreds of them after each
 * change would take most of the time of a server: while changes follow each other closely, their events wait for the end of a rest.
 */
export class FlushSchedule {
  #waiting: (() => void)[] = [];
  #isRunning = false;
  /** When the next round may begin, on the clock of `performance`. */
  #restsUntil = 0;

  /** Calls this function in the next round. */
  add(flush: () => void): void {
    this.#waiting.push(flush);
    if (!this.#isRunning) this.#begin();
  }

  #begin(): void {
    this.#isRunning = true;
    const rest = this.#restsUntil - performance.now();
    if (rest > 0) setTimeout(this.#startRound, rest);
    else queueMicrotask(this.#startRound);
  }

  readonly #startRound = (): void => {
    const round = this.#waiting;
    this.#waiting = [];
    this.#flush(round, 0);
  };

  #flush(round: readonly (() => void)[], from: number): void {
    const end = from + flushesPerTurn;
    for (const flush of round.slice(from, end)) flush();
    if (end < round.length) setImmediate(() => this.#flush(round, end));
    else this.#endRound(round.length);
  }

  #endRound(flushes: number): void {
    const rest = Math.min(flushes * restMsPerFlush, longestRestMs);
    if (rest >= shortestRestMs) this.#restsUntil = performance.now() + rest;
    this.#isRunning = false;
    if (this.#waiting.length > 0) this.#begin();
  }
}
