import type { Clock } from '@annex/runtime';

/** A rate of requests, as `clientConnection` configures it. */
export interface RateLimitConfig {
  /** Requests a second. */
  qps: number;
  /** Requests at once after a pause. */
  burst: number;
}

/** A token bucket, as client-go's: requests wait for their turn in the order in which they come. */
export class RateLimit {
  readonly #config: RateLimitConfig;
  readonly #clock: Clock;
  #tokens: number;
  #filled: number;

  constructor(config: RateLimitConfig, clock: Clock) {
    this.#config = config;
    this.#clock = clock;
    this.#tokens = Math.max(1, config.burst);
    this.#filled = clock.monotonic();
  }

  /** Resolves when a request may be sent. Rejects with the reason of the signal. */
  async turn(signal: AbortSignal): Promise<void> {
    const { burst, qps } = this.#config;
    const now = this.#clock.monotonic();
    const tokens = this.#tokens + ((now - this.#filled) / 1000) * qps;
    this.#filled = now;
    this.#tokens = Math.min(tokens, Math.max(1, burst)) - 1;
    if (this.#tokens < 0) await this.#clock.sleep((-this.#tokens / qps) * 1000, signal);
  }
}
