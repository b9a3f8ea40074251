/** Milliseconds after a change at which discovery is read, because it may include the change later than the watch. */
const rereadMs = [50, 500, 2_500, 10_000];

/**
 * Milliseconds between two reads for each resource. A read costs some 30 us for each, in the server and here: while one definition after
 * the other is created, this is less than a tenth of the time, and the cost of a definition does not grow with their number.
 */
const restMsOfResource = 0.5;

/** When discovery is read. */
export class ReadSchedule {
  #reads = 0;
  #restsUntil = 0;

  /** Returns the milliseconds until the next read, after a change of the served resources. */
  changed(now: number): number {
    this.#reads = 1;
    return Math.max(rereadMs[0] ?? 0, this.#restsUntil - now);
  }

  /** Returns the milliseconds until the next read, after one that returned so many resources; `undefined` for none. */
  read(now: number, resources: number): number | undefined {
    const rest = resources * restMsOfResource;
    this.#restsUntil = now + rest;
    const next = rereadMs[this.#reads++];
    return next === undefined ? undefined : Math.max(next, rest);
  }
}
