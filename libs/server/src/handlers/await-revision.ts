import type { ResourceKind } from '@annex/kinds';
import { StoreError, type StoredObject, type WatchCache } from '@annex/storage';
import { tooLargeVersion } from '../store-status.ts';

/** Milliseconds that a read waits for the requested revision, as in kube-apiserver. */
const waitMs = 3000;

/**
 * Resolves when a read at this resourceVersion can be served from the watch cache: at once if the cache has it, so that such reads do not
 * need the store; "0" accepts any. Without one, the cache must have the newest revision of the store. Throws 504 if the revision does not
 * exist, or does not arrive in time.
 */
export function awaitRevision(
  cache: WatchCache<StoredObject>,
  requested: bigint | undefined,
  kind: ResourceKind,
): Promise<void> | undefined {
  if (cache.isCurrent()) {
    if (requested !== undefined && requested > cache.revision)
      throw tooLargeVersion(requested, cache.revision, kind);
    return undefined;
  }
  if (requested === undefined) return cache.waitFor();
  return requested === 0n ? cache.waitFor(0) : reached(cache, requested, kind);
}

async function reached(
  cache: WatchCache<StoredObject>,
  requested: bigint,
  kind: ResourceKind,
): Promise<void> {
  await cache.waitFor(0);
  if (requested > cache.revision) await inTime(cache.waitFor());
  if (requested > cache.revision) throw tooLargeVersion(requested, cache.revision, kind);
}

/** Resolves when the cache is current, when the store does not respond, or after the time. */
async function inTime(current: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, waitMs);
  const unlessUnavailable = current.catch((error: unknown) => {
    if (!(error instanceof StoreError && error.code === 'unavailable')) throw error;
  });
  await Promise.race([unlessUnavailable, promise]).finally(() => clearTimeout(timer));
}
