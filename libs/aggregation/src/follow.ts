import type { ServerDeps } from '@annex/server';
import type { CacheEntry, CacheEvent, StoredObject } from '@annex/storage';

/** Receives the objects under a prefix. */
export interface Follower {
  /** Receives all objects, once at the start and again after lost history. */
  reset(entries: readonly CacheEntry<StoredObject>[]): void;
  /** Receives one later change. */
  event(event: CacheEvent<StoredObject>): void;
}

/**
 * Follows the objects of a prefix until the signal aborts. Resolves when the follower has received the
 * existing objects.
 */
export async function follow(
  { feed, log }: Pick<ServerDeps, 'feed' | 'log'>,
  prefix: string,
  signal: AbortSignal,
  follower: Follower,
): Promise<void> {
  const cache = feed.objects(prefix);
  await cache.waitFor();
  if (signal.aborted) return;
  const { entries, revision } = cache.list(prefix);
  follower.reset(entries);
  const end = cache.subscribe(prefix, revision, {
    readsObjects: true,
    onEvent: (event) => follower.event(event),
    onError: (error) => {
      if (signal.aborted) return;
      log.warn('reading a watch cache again', { prefix, error });
      void retry(() => follow({ feed, log }, prefix, signal, follower), signal);
    },
  });
  signal.addEventListener('abort', end, { once: true });
}

async function retry(action: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (let waitMs = 100; !signal.aborted; waitMs = Math.min(waitMs * 2, 5_000)) {
    try {
      return await action();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, waitMs).unref());
    }
  }
}
