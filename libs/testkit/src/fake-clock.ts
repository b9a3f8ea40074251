interface Waiting {
  at: number;
  call: () => void;
  every?: number;
}

/** A clock that advances only on request. It has the interface of the runtime's Clock. */
export class FakeClock {
  private time = 0;
  /** The wall-clock time minus the elapsed time. */
  private offset: number;
  private waiting: Waiting[] = [];

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.offset = start;
  }

  now(): number {
    return this.offset + this.time;
  }

  monotonic(): number {
    return this.time;
  }

  /** Changes the wall-clock time without elapsed time. */
  jump(milliseconds: number): void {
    this.offset += milliseconds;
  }

  setTimeout(call: () => void, milliseconds: number): { cancel(): void } {
    return this.add({ at: this.time + milliseconds, call });
  }

  setInterval(call: () => void, milliseconds: number): { cancel(): void } {
    const every = Math.max(1, milliseconds);
    return this.add({ at: this.time + every, call, every });
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = this.setTimeout(resolve, milliseconds);
    const abort = () => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
    return promise;
  }

  /** Advances the time, calls due timers in order, and lets promises settle after each call. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.time + milliseconds;
    for (let next = this.due(end); next !== undefined; next = this.due(end)) {
      this.time = next.at;
      if (next.every === undefined) this.waiting = this.waiting.filter((item) => item !== next);
      else next.at += next.every;
      next.call();
      await settle();
    }
    this.time = end;
    await settle();
  }

  /** The number of pending timers. */
  get pending(): number {
    return this.waiting.length;
  }

  private due(end: number): Waiting | undefined {
    return this.waiting.filter((item) => item.at <= end).sort((a, b) => a.at - b.at)[0];
  }

  private add(item: Waiting): { cancel(): void } {
    this.waiting.push(item);
    return { cancel: () => void (this.waiting = this.waiting.filter((other) => other !== item)) };
  }
}

const settle = () => new Promise<void>((done) => setImmediate(done));
