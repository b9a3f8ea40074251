import type { Clock, Counter, Logger, Metrics, Timer } from '@annex/runtime';

/** The outcome of a piece of work: done, retry with exponential backoff (`again`), or repeat after a time. */
export type Outcome = void | 'again' | { afterMs: number };

/** Options of a work queue. */
export interface WorkQueueOptions<K> {
  /** The name in logs and metrics. */
  name: string;
  /** Number of keys that are worked on concurrently. */
  workers: number;
  work(key: K): Promise<Outcome>;
  /** Resolves when the work can begin. The wait is not part of its time. */
  ready?(key: K): Promise<unknown>;
  /** Returns the text of a key for the log. */
  describe?(key: K): string;
  /** The first backoff after a failure, in milliseconds; each further failure doubles it. Default 5 ms. */
  minBackoffMs?: number;
  /** The maximum backoff, in milliseconds. Default 1000 s. */
  maxBackoffMs?: number;
  /**
   * A key that was added again rests this many times as long as its work took, but at most ten seconds. For work that reads many objects, and
   * whose keys are added at each change of one of them. Default 0.
   */
  rest?: number;
}

type Deps = { clock: Clock; log: Logger; metrics: Metrics };

/** Number of failures that are not logged as warnings, because failures such as conflicts are temporary. */
const quietFailures = 3;

const longestRestMs = 10_000;

const defaults = { minBackoffMs: 5, maxBackoffMs: 1_000_000, rest: 0 };

/**
 * A queue of keys that need work, like client-go's work queues. A key waits only once, has one worker at a time, and is retried with
 * exponential backoff after failures. No work begins before `start`.
 */
export class WorkQueue<K> {
  readonly #options: WorkQueueOptions<K> & typeof defaults;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #adds: Counter<'name'>;
  readonly #retries: Counter<'name'>;
  readonly #ready = new Set<K>();
  readonly #running = new Set<K>();
  /** Keys that were added while a worker processed them, or while they rest. */
  readonly #again = new Set<K>();
  readonly #later = new Map<K, { at: number; timer: Timer }>();
  /** Keys that rest after their work. */
  readonly #resting = new Map<K, Timer>();
  readonly #failures = new Map<K, number>();
  #state: 'new' | 'started' | 'stopped' = 'new';
  #idle: (() => void) | undefined;

  constructor(options: WorkQueueOptions<K>, { clock, log, metrics }: Deps) {
    this.#options = { ...defaults, ...options };
    this.#clock = clock;
    this.#log = log;
    this.#adds = metrics.counter('workqueue_adds_total', 'Keys added to a work queue.', ['name']);
    this.#retries = metrics.counter('workqueue_retries_total', 'Failures in a work queue.', ['name']);
  }

  /** Keys that wait for their work, or for the time of their work. */
  get waiting(): number {
    return this.#ready.size + this.#later.size;
  }

  add(key: K): void {
    if (this.#state === 'stopped') return;
    this.#adds.inc({ name: this.#options.name });
    this.#cancelLater(key);
    if (this.#running.has(key) || this.#resting.has(key)) this.#again.add(key);
    else this.#ready.add(key);
    this.#next();
  }

  /** Adds the key after a time; the earliest of several times applies. */
  addAfter(key: K, ms: number): void {
    if (this.#state === 'stopped') return;
    if (ms <= 0) return this.add(key);
    const at = this.#clock.monotonic() + ms;
    const known = this.#later.get(key);
    if (known !== undefined && known.at <= at) return;
    known?.timer.cancel();
    this.#later.set(key, { at, timer: this.#clock.setTimeout(() => this.add(key), ms) });
  }

  /** Adds the key after a backoff that doubles each time, until its work succeeds. */
  addWithBackoff(key: K): void {
    const { minBackoffMs, maxBackoffMs, name } = this.#options;
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.#retries.inc({ name });
    this.addAfter(key, Math.min(minBackoffMs * 2 ** failures, maxBackoffMs));
  }

  start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'started';
    this.#next();
  }

  /** Drops waiting keys; resolves when no work is in progress. */
  stop(): Promise<void> {
    this.#state = 'stopped';
    for (const { timer } of this.#later.values()) timer.cancel();
    for (const timer of this.#resting.values()) timer.cancel();
    this.#later.clear();
    this.#resting.clear();
    this.#ready.clear();
    this.#again.clear();
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => (this.#idle = resolve));
  }

  #next(): void {
    if (this.#state !== 'started') return;
    for (const key of this.#ready) {
      if (this.#running.size >= this.#options.workers) return;
      this.#ready.delete(key);
      this.#running.add(key);
      void this.#run(key);
    }
  }

  async #run(key: K): Promise<void> {
    let began = this.#clock.monotonic();
    let outcome: Outcome;
    try {
      if (this.#options.ready !== undefined) {
        await this.#options.ready(key);
        began = this.#clock.monotonic();
      }
      outcome = await this.#options.work(key);
    } catch (error) {
      this.#report(key, error);
      outcome = 'again';
    }
    this.#running.delete(key);
    if (this.#state === 'stopped') {
      if (this.#running.size === 0) this.#idle?.();
      return;
    }
    if (outcome !== 'again') this.#failures.delete(key);
    this.#rest(key, this.#clock.monotonic() - began);
    if (this.#again.delete(key)) this.add(key);
    else if (outcome === 'again') this.addWithBackoff(key);
    else if (outcome !== undefined) this.addAfter(key, outcome.afterMs);
    this.#next();
  }

  #rest(key: K, workMs: number): void {
    const ms = Math.min(Math.round(this.#options.rest * workMs), longestRestMs);
    if (ms === 0) return;
    const end = () => {
      this.#resting.delete(key);
      if (this.#again.delete(key)) this.add(key);
    };
    this.#resting.set(key, this.#clock.setTimeout(end, ms));
  }

  #report(key: K, error: unknown): void {
    // Work that is interrupted by a stop has not failed.
    if (this.#state === 'stopped') return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    const fields = {
      queue: this.#options.name,
      key: this.#options.describe?.(key) ?? String(key),
      failures,
      error: error instanceof Error ? error.message : String(error),
    };
    this.#log[failures > quietFailures ? 'warn' : 'debug']('work failed and is retried', fields);
  }

  #cancelLater(key: K): void {
    this.#later.get(key)?.timer.cancel();
    this.#later.delete(key);
  }
}
