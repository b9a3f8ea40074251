import { StatusError } from '@annex/machinery';
import type { Clock } from '@annex/runtime';

/** As in kube-apiserver: five attempts with increasing delays. */
const backoff = { steps: 5, firstMs: 500, factor: 1.5 };
/** Bytes of the response to a review. kube-apiserver has no limit; a user with 10,000 groups takes a third of it. */
export const maxReviewResponseBytes = 1024 * 1024;

/** Responses with Retry-After that one attempt follows. */
export const maxReviewWaits = 10;

/** Calls a webhook, with retries after temporary errors, within the timeout of one call. */
export async function withAttempts<T>(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  timeoutMs: number,
  ask: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1, pause = backoff.firstMs; ; attempt++, pause *= backoff.factor) {
    try {
      return await withWaits(clock, timeoutMs, ask);
    } catch (error) {
      if (attempt === backoff.steps || !mayPass(error)) throw error;
    }
    await clock.sleep(pause);
  }
}

/** One attempt, which waits as the webhook's Retry-After requests. Source: RFC 9110, section 10.2.3. */
async function withWaits<T>(
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  timeoutMs: number,
  ask: () => Promise<T>,
): Promise<T> {
  const end = clock.monotonic() + timeoutMs;
  for (let waits = 0; ; waits++) {
    try {
      return await ask();
    } catch (error) {
      const seconds = waitOf(error);
      if (seconds === undefined || waits === maxReviewWaits) throw error;
      if (clock.monotonic() + seconds * 1000 >= end)
        throw new Error('context deadline exceeded', { cause: error });
      await clock.sleep(seconds * 1000);
    }
  }
}

function waitOf(error: unknown): number | undefined {
  if (!(error instanceof StatusError) || !(error.code === 429 || error.code >= 500)) return undefined;
  const { retryAfterSeconds } = error.status.details ?? {};
  return typeof retryAfterSeconds === 'number' ? retryAfterSeconds : undefined;
}

/** True for errors that may not recur at the next attempt. */
function mayPass(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 429 || (error.code >= 500 && error.code !== 503);
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'EPIPE';
}
