/** One that waits, between the one that began before it and the one that began after it. */
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
 * Calls functions after one fixed time. Most are called off long before, and all share one timer: what began first is due
 * first. It keeps no process alive.
 *
 * They wait in a list of their own and not in a Set: V8 lets the table that a Set has outgrown point to its next one, so
 * that one old table in the old generation keeps every later one, with all that waited in it, from the scavenger.
 */
export class FixedDelay {
  readonly #ms: number;
  /** Before the first and after the last. */
  readonly #ends = new Waiting(Infinity);
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.#ends.previous = this.#ends.next = this.#ends;
  }

  /** Calls `fire` when the time is over; returns the function that calls it off. */
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

/** Takes one out of its list, if it is there, and returns what it was to call. Nothing leads from it to its neighbours then. */
function takeOut(waiting: Waiting): (() => void) | undefined {
  const { fire, previous, next } = waiting;
  if (previous === undefined || next === undefined) return undefined;
  previous.next = next;
  next.previous = previous;
  waiting.previous = waiting.next = waiting.fire = undefined;
  return fire;
}
