interface Waiting {
  /** Milliseconds of `performance.now()`. */
  readonly due: number;
  readonly fire: () => void;
}

/**
 * Calls functions after one fixed time. Most are called off long before, and all share one timer: what began first is due
 * first. It keeps no process alive.
 */
export class FixedDelay {
  readonly #ms: number;
  readonly #waiting = new Set<Waiting>();
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Calls `fire` when the time is over; returns the function that calls it off. */
  start(fire: () => void): () => void {
    const waiting = { due: performance.now() + this.#ms, fire };
    this.#waiting.add(waiting);
    this.#timer ??= this.#wake(this.#ms);
    return () => void this.#waiting.delete(waiting);
  }

  #wake(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#tick(), ms).unref();
  }

  #tick(): void {
    this.#timer = undefined;
    const now = performance.now();
    try {
      for (const waiting of this.#waiting) {
        if (waiting.due > now) return;
        this.#waiting.delete(waiting);
        waiting.fire();
      }
    } finally {
      const [first] = this.#waiting;
      if (first) this.#timer ??= this.#wake(Math.max(1, Math.ceil(first.due - now)));
    }
  }
}
