/** Random choices that a seed determines. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns an integer from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.#next() * (high - low + 1));
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    return values[this.int(0, values.length - 1)] as T;
  }

  /** Returns a list of random length. */
  list<T>(low: number, high: number, create: (index: number) => T): T[] {
    return Array.from({ length: this.int(low, high) }, (_, index) => create(index));
  }

  /** Returns the fields with this probability, and none otherwise. */
  maybe<T extends object>(probability: number, create: () => T): T | Record<string, never> {
    return this.chance(probability) ? create() : {};
  }

  // mulberry32
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
