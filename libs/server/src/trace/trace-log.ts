import type { DecisionTrace } from '@annex/kinds';

/** The traces of the last requests, finished or not. It holds no more than its capacity. */
export class TraceLog {
  readonly #capacity: number;
  readonly #ring: DecisionTrace[] = [];
  readonly #listeners = new Set<(trace: DecisionTrace) => void>();
  #next = 0;

  /** @param capacity how many requests are remembered; 0 for none. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Remembers a request from its first step on. */
  add(trace: DecisionTrace): void {
    if (this.#capacity === 0) return;
    this.#ring[this.#next] = trace;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** Tells who follows that a request was answered. */
  finish(trace: DecisionTrace): void {
    for (const listener of this.#listeners) listener(trace);
  }

  /** What is remembered, the oldest first. */
  all(): DecisionTrace[] {
    return [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
  }

  /** Calls the listener with each request that was answered; returns the function that ends it. */
  follow(listener: (trace: DecisionTrace) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
