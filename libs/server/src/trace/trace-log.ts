import type { DecisionTrace } from '@annex/kinds';

/** The traces of the last requests, including those in progress. The number is limited by the capacity. */
export class TraceLog {
  readonly capacity: number;
  readonly #ring: DecisionTrace[] = [];
  readonly #listeners = new Set<(trace: DecisionTrace) => void>();
  #next = 0;

  /** @param capacity the maximum number of traces; 0 for none. */
  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** Adds the trace of a request at its first step. */
  add(trace: DecisionTrace): void {
    if (this.capacity === 0) return;
    this.#ring[this.#next] = trace;
    this.#next = (this.#next + 1) % this.capacity;
  }

  /** Notifies followers that a request was served. */
  finish(trace: DecisionTrace): void {
    for (const listener of this.#listeners) listener(trace);
  }

  /** Returns the traces, the oldest first. */
  all(): DecisionTrace[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
  }

  /** Calls the listener for each request that was served. Returns a function that removes the listener. */
  follow(listener: (trace: DecisionTrace) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
