interface Held<T> {
  value: T;
  expires: number;
}

/** Keeps answers for a while, at most so many, and asks once for what several callers want at the same time. */
export class ExpiringCache<T> {
  readonly #held = new Map<string, Held<T>>();
  readonly #asked = new Map<string, Promise<T>>();
  readonly #lifetimeOf: (value: T) => number;
  readonly #now: () => number;
  readonly #maxEntries: number;

  /** `lifetimeOf` says for how many milliseconds an answer holds; 0 is not kept at all. */
  constructor(lifetimeOf: (value: T) => number, now: () => number, maxEntries: number) {
    this.#lifetimeOf = lifetimeOf;
    this.#now = now;
    this.#maxEntries = maxEntries;
  }

  get(key: string): T | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    if (held.expires > this.#now()) return held.value;
    this.#held.delete(key);
    return undefined;
  }

  /** The kept answer, or that of `ask`. A failure is not kept. */
  async getOr(key: string, ask: () => Promise<T>): Promise<T> {
    const held = this.get(key);
    if (held !== undefined) return held;
    let asked = this.#asked.get(key);
    if (asked === undefined) {
      asked = ask().finally(() => this.#asked.delete(key));
      this.#asked.set(key, asked);
    }
    const value = await asked;
    this.#keep(key, value);
    return value;
  }

  #keep(key: string, value: T): void {
    const lifetime = this.#lifetimeOf(value);
    if (lifetime <= 0 || this.#held.has(key)) return;
    this.#held.set(key, { value, expires: this.#now() + lifetime });
    if (this.#held.size > this.#maxEntries) this.#held.delete(this.#held.keys().next().value as string);
  }
}
