import { type Clock, ownTurn, systemClock, type Timer } from '@annex/runtime';

/** Keys that are deleted at once. Many keys may be due: all events that expired while the store was closed. */
const deletedAtOnce = 100;

/** Deletes keys when they expire, with one timer. A later write replaces the expiry of its key. */
export class ExpirySchedule {
  readonly #expire: (key: string, revision: number) => Promise<unknown>;
  readonly #clock: Pick<Clock, 'monotonic' | 'setTimeout'>;
  /** Due second of the monotonic clock → keys with the revision that set the expiry. */
  readonly #due = new Map<number, [key: string, revision: number][]>();
  #timer: Timer | undefined;
  #timerFor = Infinity;
  #isClosed = false;

  constructor(
    expire: (key: string, revision: number) => Promise<unknown>,
    clock: Pick<Clock, 'monotonic' | 'setTimeout'> = systemClock,
  ) {
    this.#expire = expire;
    this.#clock = clock;
  }

  add(key: string, revision: number, inMilliseconds: number): void {
    const second = Math.ceil((this.#clock.monotonic() + inMilliseconds) / 1000);
    const keys = this.#due.get(second);
    if (keys) keys.push([key, revision]);
    else this.#due.set(second, [[key, revision]]);
    if (second < this.#timerFor) this.#arm(second);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#due.clear();
  }

  #arm(second: number): void {
    this.#timer?.cancel();
    this.#timerFor = second;
    const delay = Math.max(0, second * 1000 - this.#clock.monotonic());
    this.#timer = this.#clock.setTimeout(() => this.#run(), delay);
  }

  #run(): void {
    const now = this.#clock.monotonic() / 1000;
    let next = Infinity;
    for (const [second, keys] of this.#due) {
      if (second > now) {
        next = Math.min(next, second);
        continue;
      }
      this.#due.delete(second);
      void this.#deleteAll(keys);
    }
    this.#timerFor = Infinity;
    if (next < Infinity) this.#arm(next);
  }

  /** Deletes keys, some at a time, in turns of their own: at a start, caches load at the same time. */
  async #deleteAll(keys: readonly [key: string, revision: number][]): Promise<void> {
    for (let i = 0; i < keys.length; i += deletedAtOnce) {
      await ownTurn();
      if (this.#isClosed) return;
      // The key was changed or deleted concurrently, or the store is closing: nothing is left to do.
      const deletions = keys
        .slice(i, i + deletedAtOnce)
        .map(([key, revision]) => this.#expire(key, revision).catch(() => {}));
      await Promise.all(deletions);
    }
  }
}
