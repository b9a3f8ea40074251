import type { ServerDeps } from '@annex/server';
import type { CacheEntry, CacheEvent, StoredObject } from '@annex/storage';

/** Told of the objects under a prefix. */
export interface Follower {
  /** Everything there is, once at the start and again where history was lost. */
  reset(entries: readonly CacheEntry<StoredObject>[]): void;
  /** One change after that. */
  event(event: CacheEvent<StoredObject>): void;
}

/** Follows the objects of a prefix until the signal aborts. Resolves when the follower has seen what there is. */
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
    onEvent: (event) => follower.event(event),
    onError: (error) => {
      if (signal.aborted) return;
      log.warn('a watch cache is read anew', { prefix, error });
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
