import type { Ticket } from './ticket.ts';

/** The tickets that have seats, in no order. Unlike in a `Set`, coming and going allocates nothing. */
export class TicketSet implements Iterable<Ticket> {
  readonly #tickets: Ticket[] = [];

  get size(): number {
    return this.#tickets.length;
  }

  [Symbol.iterator](): Iterator<Ticket> {
    return this.#tickets.values();
  }

  add(ticket: Ticket): void {
    ticket.position = this.#tickets.length;
    this.#tickets.push(ticket);
  }

  /** Removes a ticket of this set: the last one takes its position. */
  delete(ticket: Ticket): void {
    const last = this.#tickets.pop()!;
    if (last === ticket) return;
    this.#tickets[ticket.position] = last;
    last.position = ticket.position;
  }
}
