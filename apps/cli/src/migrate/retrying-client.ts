import { setTimeout } from 'node:timers/promises';
import type { Client, ClientRequest } from '@annex/client';
import { StatusError } from '@annex/machinery';

/** How long a request is retried: long enough for a restart of the server. */
const patienceMs = 60_000;
const firstPauseMs = 50;
const longestPauseMs = 2000;

/** Statuses that may differ on a retry: conflicts that the server gave up on, and overloaded or unavailable servers. */
const temporaryStatuses = new Set([409, 429, 502, 503, 504]);

/** Sends a request as `client.json`, and retries errors that may be temporary. */
export async function jsonWithRetries<T>(client: Client, request: ClientRequest): Promise<T> {
  const end = performance.now() + patienceMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    try {
      return await client.json<T>(request);
    } catch (error) {
      const wait = Math.max(pause, retryAfterMs(error));
      if (!isTemporary(error) || performance.now() + wait > end) throw error;
      await setTimeout(wait);
    }
  }
}

// An error without a response is a broken connection.
const isTemporary = (error: unknown): boolean =>
  error instanceof StatusError ? temporaryStatuses.has(error.code) : isBroken(error);

const isBroken = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ERR_STREAM_PREMATURE_CLOSE'].includes(
    String(error.code),
  );

const retryAfterMs = (error: unknown): number =>
  error instanceof StatusError ? Number(error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
