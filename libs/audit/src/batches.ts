import type { Clock, Timer } from '@annex/runtime';
import type { AuditEvent, AuditSink } from './audit-event.ts';

/** The limits of batches. */
export interface BatchLimits {
  /** The maximum number of buffered events; further ones are lost. */
  bufferSize: number;
  maxSize: number;
  /** The maximum milliseconds that an event waits for its batch. */
  maxWaitMs: number;
  /** Batches per second, and their burst; unlimited if absent. */
  throttle?: { qps: number; burst: number };
}

/** Collects events and sends them in batches, one after the other. */
export function batched(
  limits: BatchLimits,
  clock: Clock,
  send: (events: readonly AuditEvent[]) => Promise<void>,
  onLost: (error: unknown, count: number) => void,
): AuditSink {
  const waiting: AuditEvent[] = [];
  const allowance = limits.throttle && new Allowance(limits.throttle, clock);
  let timer: Timer | undefined;
  let sending: Promise<void> | undefined;
  const closing = new AbortController();
  const flush = () => {
    timer?.cancel();
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
      if (waiting.length > 0) schedule();
    });
  };
  const schedule = () => {
    if (waiting.length >= limits.maxSize) flush();
    else timer ??= clock.setTimeout(flush, limits.maxWaitMs);
  };
  const sendAll = async () => {
    do {
      await allowance?.take(closing.signal);
      const batch = waiting.splice(0, limits.maxSize);
      await send(batch).catch((error: unknown) => onLost(error, batch.length));
    } while (waiting.length >= limits.maxSize);
  };
  return {
    write(event) {
      if (waiting.length >= limits.bufferSize) {
        onLost(new Error('too many events are waiting'), 1);
        return false;
      }
      waiting.push(event);
      if (sending === undefined) schedule();
      return true;
    },
    async close() {
      timer?.cancel();
      closing.abort();
      await sending;
      while (waiting.length > 0) {
        const batch = waiting.splice(0, limits.maxSize);
        await send(batch).catch((error: unknown) => onLost(error, batch.length));
      }
    },
  };
}

/** A token bucket: at most `burst` tokens, `qps` new ones per second. */
class Allowance {
  readonly #qps: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor({ qps, burst }: { qps: number; burst: number }, clock: Clock) {
    [this.#qps, this.#burst, this.#clock] = [qps, burst, clock];
    [this.#tokens, this.#at] = [burst, clock.monotonic()];
  }

  /** Waits for a token, or until the signal aborts. */
  async take(signal: AbortSignal): Promise<void> {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#at) * this.#qps) / 1000);
    this.#at = now;
    this.#tokens -= 1;
    if (this.#tokens >= 0) return;
    const waitMs = (-this.#tokens / this.#qps) * 1000;
    await this.#clock.sleep(waitMs, signal).catch(() => undefined);
  }
}
