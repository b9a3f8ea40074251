import type { Ticket } from './ticket.ts';

/** A queue of a priority level. Tickets leave in the order of their arrival, except for those that are withdrawn. */
export class Queue {
  readonly index: number;
  /** The virtual time at which its next request begins, in seat-milliseconds. */
  nextStart = 0;
  executing = 0;
  seatsInUse = 0;
  /** The work of the waiting tickets, in seat-milliseconds. */
  waitingWork = 0;
  // Sets keep the order of insertion, and remove in constant time.
  readonly #waiting = new Set<Ticket>();

  constructor(index: number) {
    this.index = index;
  }

  get length(): number {
    return this.#waiting.size;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0 && this.executing === 0;
  }

  get first(): Ticket | undefined {
    return this.#waiting.values().next().value;
  }

  get waiting(): Iterable<Ticket> {
    return this.#waiting;
  }

  add(ticket: Ticket): void {
    this.#waiting.add(ticket);
    this.waitingWork += ticket.work;
  }

  /** Returns whether the ticket was waiting. */
  remove(ticket: Ticket): boolean {
    if (!this.#waiting.delete(ticket)) return false;
    this.waitingWork -= ticket.work;
    return true;
  }
}
