import { stringifyJson } from '@annex/machinery';

interface Held<T> {
  value: T;
  expires: number;
  size: number;
}

/**
 * Characters of keys and values that one review cache stores. A webhook may respond to each of 10,000 tokens
 * with a user of a megabyte, and requests may name users of any size.
 */
export const maxCachedCharacters = 64 * 1024 * 1024;

/** Caches results for a while, within limits, and shares one call between concurrent callers. */
export class ExpiringCache<T> {
  readonly #held = new Map<string, Held<T>>();
  readonly #pending = new Map<string, Promise<T>>();
  readonly #lifetimeOf: (value: T) => number;
  readonly #now: () => number;
  readonly #maxEntries: number;
  #characters = 0;

  /** `lifetimeOf` returns for how many milliseconds a result is cached; 0 disables caching. */
  constructor(lifetimeOf: (value: T) => number, now: () => number, maxEntries: number) {
    this.#lifetimeOf = lifetimeOf;
    this.#now = now;
    this.#maxEntries = maxEntries;
  }

  get(key: string): T | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    if (held.expires > this.#now()) return held.value;
    this.#forget(key, held);
    return undefined;
  }

  /** Returns the cached result, or the result of `ask`. Failures are not cached. */
  async getOr(key: string, ask: () => Promise<T>): Promise<T> {
    const held = this.get(key);
    if (held !== undefined) return held;
    let pending = this.#pending.get(key);
    if (pending === undefined) {
      pending = ask().finally(() => this.#pending.delete(key));
      this.#pending.set(key, pending);
    }
    const value = await pending;
    this.#keep(key, value);
    return value;
  }

  #keep(key: string, value: T): void {
    const lifetime = this.#lifetimeOf(value);
    if (lifetime <= 0 || this.#held.has(key)) return;
    const size = key.length + (stringifyJson(value)?.length ?? 0);
    if (size > maxCachedCharacters) return;
    this.#held.set(key, { value, expires: this.#now() + lifetime, size });
    this.#characters += size;
    for (const [oldest, held] of this.#held) {
      if (this.#held.size <= this.#maxEntries && this.#characters <= maxCachedCharacters) return;
      this.#forget(oldest, held);
    }
  }

  #forget(key: string, { size }: Held<T>): void {
    this.#held.delete(key);
    this.#characters -= size;
  }
}
