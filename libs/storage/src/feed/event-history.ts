/** How many recent events are kept, and how long. */
export interface EventHistoryOptions {
  /** The most events that are kept. Default 4096. */
  maxEvents?: number;
  /** Older events are removed if there are more than {@link minEvents}. Default 2 minutes. */
  maxAgeMilliseconds?: number;
  /** Events that are kept at any age. Default 100. */
  minEvents?: number;
}

interface StoredEvent<E> {
  revision: number;
  time: number;
  event: E;
}

/** The recent events in the order of their revisions, complete after `floor`. */
export class EventHistory<E> {
  /** All events after this revision are available. */
  floor: number;
  #events: StoredEvent<E>[] = [];
  #first = 0;
  readonly #maxEvents: number;
  readonly #maxAge: number;
  readonly #minEvents: number;

  constructor(floor: number, options: EventHistoryOptions = {}) {
    this.floor = floor;
    this.#maxEvents = options.maxEvents ?? 4096;
    this.#maxAge = options.maxAgeMilliseconds ?? 120_000;
    this.#minEvents = options.minEvents ?? 100;
  }

  push(revision: number, event: E, time: number): void {
    this.#events.push({ revision, time, event });
    this.#removeExcess(time);
    if (this.#first > 1024) this.#shorten();
  }

  /** Removes events that are too old, if no event follows that does. */
  removeOld(now: number): void {
    this.#removeExcess(now);
    if (this.#first > 0) this.#shorten();
  }

  #removeExcess(now: number): void {
    while (this.#excess(now)) this.floor = this.#events[this.#first++]!.revision;
  }

  #shorten(): void {
    this.#events = this.#events.slice(this.#first);
    this.#first = 0;
  }

  /** Returns the events after a revision, which must not be below `floor`. */
  after(revision: number): E[] {
    let low = this.#first;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low).map((stored) => stored.event);
  }

  /** Iterates over the events that are kept. */
  *[Symbol.iterator](): Generator<E> {
    for (let i = this.#first; i < this.#events.length; i++) yield this.#events[i]!.event;
  }

  /** Returns all events that a function accepts, without a copy of the others. */
  matching(accepts: (event: E) => boolean): E[] {
    const found: E[] = [];
    for (let i = this.#first; i < this.#events.length; i++) {
      const { event } = this.#events[i]!;
      if (accepts(event)) found.push(event);
    }
    return found;
  }

  #excess(now: number): boolean {
    const count = this.#events.length - this.#first;
    if (count > this.#maxEvents) return true;
    return count > this.#minEvents && this.#events[this.#first]!.time < now - this.#maxAge;
  }
}
