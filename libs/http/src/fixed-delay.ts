/** A waiting function, linked to the one started before and the one started after it. */
class Waiting {
  /** Milliseconds of `performance.now()`. */
  readonly due: number;
  fire: (() => void) | undefined;
  previous: Waiting | undefined;
  next: Waiting | undefined;

  constructor(due: number, fire?: () => void) {
    this.due = due;
    this.fire = fire;
  }
}

/**
 * Calls functions after one fixed delay. Most are cancelled long before, and all share one timer: the first
 * started is the first due. It keeps no process alive.
 *
 * They wait in a linked list instead of a Set: in V8, the outgrown table of a Set refers to the next one. One
 * old table in the old generation would keep every later one, and all its entries, from the scavenger.
 */
export class FixedDelay {
  readonly #ms: number;
  /** Sentinel before the first and after the last. */
  readonly #ends = new Waiting(Infinity);
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.#ends.previous = this.#ends.next = this.#ends;
  }

  /** Calls `fire` after the delay; returns the function that cancels it. */
  start(fire: () => void): () => void {
    const waiting = new Waiting(performance.now() + this.#ms, fire);
    const last = this.#ends.previous as Waiting;
    last.next = this.#ends.previous = waiting;
    waiting.previous = last;
    waiting.next = this.#ends;
    this.#timer ??= this.#wake(this.#ms);
    return () => void takeOut(waiting);
  }

  #wake(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#tick(), ms).unref();
  }

  get #first(): Waiting {
    return this.#ends.next as Waiting;
  }

  #tick(): void {
    this.#timer = undefined;
    const now = performance.now();
    try {
      while (this.#first.due <= now) takeOut(this.#first)?.();
    } finally {
      if (this.#first !== this.#ends)
        this.#timer ??= this.#wake(Math.max(1, Math.ceil(this.#first.due - now)));
    }
  }
}

/**
 * Removes an entry from its list, if it is in one, and returns its function. The entry keeps no reference to
 * its neighbors.
 */
function takeOut(waiting: Waiting): (() => void) | undefined {
  const { fire, previous, next } = waiting;
  if (previous === undefined || next === undefined) return undefined;
  previous.next = next;
  next.previous = previous;
  waiting.previous = waiting.next = waiting.fire = undefined;
  return fire;
}
