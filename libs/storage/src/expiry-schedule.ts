/** Deletes keys when their time has come, by one timer. A key that was written since keeps what the later write said. */
export class ExpirySchedule {
  readonly #expire: (key: string, revision: number) => Promise<unknown>;
  /** Due second → keys with the revision that asked for it. */
  readonly #due = new Map<number, [key: string, revision: number][]>();
  #timer: NodeJS.Timeout | undefined;
  #timerFor = Infinity;

  constructor(expire: (key: string, revision: number) => Promise<unknown>) {
    this.#expire = expire;
  }

  add(key: string, revision: number, atMilliseconds: number): void {
    const second = Math.ceil(atMilliseconds / 1000);
    const keys = this.#due.get(second);
    if (keys) keys.push([key, revision]);
    else this.#due.set(second, [[key, revision]]);
    if (second < this.#timerFor) this.#arm(second);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#due.clear();
  }

  #arm(second: number): void {
    clearTimeout(this.#timer);
    this.#timerFor = second;
    // A timer longer than 2^31 ms would fire at once.
    const delay = Math.min(Math.max(0, second * 1000 - Date.now()), 2 ** 31 - 1);
    this.#timer = setTimeout(() => this.#run(), delay).unref();
  }

  #run(): void {
    const now = Date.now() / 1000;
    let next = Infinity;
    for (const [second, keys] of this.#due) {
      if (second > now) {
        next = Math.min(next, second);
        continue;
      }
      this.#due.delete(second);
      // The key was changed or deleted meanwhile, or the store is closing: nothing is left to do.
      for (const [key, revision] of keys) this.#expire(key, revision).catch(() => {});
    }
    this.#timerFor = Infinity;
    if (next < Infinity) this.#arm(next);
  }
}
