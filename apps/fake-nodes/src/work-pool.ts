import type { Clock, Logger } from '@annex/runtime';
import { TimerWheel } from './timer-wheel.ts';

/** Requests that are sent at once. */
export const maxConcurrentWrites = 64;

/** Milliseconds before work is repeated that failed; doubled by each failure. */
const retryMs = 500;

/** Milliseconds of the longest time between two attempts. */
const longestRetryMs = 30_000;

/** Returns the milliseconds until the key is worked on again; `undefined`: when it is added again. */
export type Work<K> = (key: K) => Promise<number | undefined>;

/**
 * Works on keys when they are due: one worker for a key, a bounded number at once, one timer for all. Failed work is repeated with
 * exponential back-off.
 */
export class WorkPool<K> {
  readonly #work: Work<K>;
  readonly #log: Logger;
  readonly #wheel: TimerWheel<K>;
  readonly #ready = new Set<K>();
  readonly #running = new Set<K>();
  readonly #again = new Set<K>();
  readonly #failures = new Map<K, number>();
  #stopped = false;
  #idle: (() => void) | undefined;

  constructor(work: Work<K>, { clock, log }: { clock: Clock; log: Logger }) {
    this.#work = work;
    this.#log = log;
    this.#wheel = new TimerWheel(clock, (key) => this.add(key));
  }

  /** Works on the key as soon as possible. */
  add(key: K): void {
    if (this.#stopped) return;
    this.#wheel.delete(key);
    if (this.#running.has(key)) this.#again.add(key);
    else this.#ready.add(key);
    this.#next();
  }

  /** Works on the key later, instead of at the time that was set before. */
  addAfter(key: K, milliseconds: number): void {
    if (!this.#stopped) this.#wheel.set(key, milliseconds);
  }

  /** Forgets the key. Work in progress ends. */
  delete(key: K): void {
    this.#wheel.delete(key);
    this.#ready.delete(key);
    this.#again.delete(key);
    this.#failures.delete(key);
  }

  /** Resolves when no work is in progress. */
  stop(): Promise<void> {
    this.#stopped = true;
    this.#wheel.clear();
    this.#ready.clear();
    this.#again.clear();
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#idle = resolve));
  }

  #next(): void {
    for (const key of this.#ready) {
      if (this.#running.size >= maxConcurrentWrites) return;
      this.#ready.delete(key);
      this.#running.add(key);
      void this.#run(key);
    }
  }

  async #run(key: K): Promise<void> {
    let after: number | undefined;
    try {
      after = await this.#work(key);
      this.#failures.delete(key);
    } catch (error) {
      const failures = this.#failures.get(key) ?? 0;
      this.#failures.set(key, failures + 1);
      after = Math.min(retryMs * 2 ** failures, longestRetryMs);
      if (!this.#stopped)
        this.#log.info('a write failed and is retried', { key: String(key), error: String(error) });
    }
    this.#running.delete(key);
    if (this.#stopped) {
      if (this.#running.size === 0) this.#idle?.();
      return;
    }
    if (this.#again.delete(key)) this.#ready.add(key);
    else if (after !== undefined) this.#wheel.set(key, after);
    this.#next();
  }
}
