import { deepCopy, formatTime, type KubeObject } from '@annex/machinery';
import { encodeStored, type ServerDeps } from '@annex/server';
import { StoreError, type CacheEntry, type StoredObject, type WatchCache } from '@annex/storage';

/** Number of concurrent deletions. */
const width = 16;

type Entry = Pick<CacheEntry<StoredObject>, 'value' | 'modRevision'>;

/**
 * Deletes all objects under a prefix, respecting finalizers. Resolves when no object is left, which may be when the last finalizer is
 * removed. Objects that are created concurrently are deleted too. The signal aborts with an error.
 */
export async function removeInstances(deps: ServerDeps, prefix: string, signal: AbortSignal): Promise<void> {
  const cache = deps.feed.objects(prefix);
  await cache.waitFor();
  const { entries, revision } = cache.list(prefix);
  if (entries.length === 0) return;
  const remaining = new Set(entries.map((entry) => entry.key));
  const gone = Promise.withResolvers<void>();
  const end = cache.subscribe(prefix, revision, {
    onEvent(event) {
      if (event.type === 'deleted') remaining.delete(event.key);
      else remaining.add(event.key);
      const entry = { value: event.value, modRevision: event.revision };
      if (event.type === 'added') removeOne(deps, cache, event.key, entry).catch(gone.reject);
      if (remaining.size === 0) gone.resolve();
    },
    onError: gone.reject,
  });
  const abort = (): void => gone.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    const waiting = entries.values();
    const work = async (): Promise<void> => {
      for (const entry of waiting) await removeOne(deps, cache, entry.key, entry);
    };
    await Promise.race([Promise.all(Array.from({ length: width }, work)), gone.promise]);
    await gone.promise;
  } finally {
    signal.removeEventListener('abort', abort);
    end();
  }
}

/** Deletes an object, or marks it if it has finalizers. Retries conflicts. */
async function removeOne(
  deps: ServerDeps,
  cache: WatchCache<StoredObject>,
  key: string,
  first: Entry,
): Promise<void> {
  let entry: Entry | undefined = first;
  while (entry !== undefined) {
    try {
      return await removeRevision(deps, key, entry);
    } catch (error) {
      if (!(error instanceof StoreError) || (error.code !== 'conflict' && error.code !== 'notFound'))
        throw error;
      await cache.waitFor();
      entry = cache.get(key);
    }
  }
}

async function removeRevision(deps: ServerDeps, key: string, { value, modRevision }: Entry): Promise<void> {
  const { object } = value;
  const { finalizers = [], deletionTimestamp } = object.metadata;
  if (finalizers.length === 0) await deps.store.delete(key, modRevision);
  else if (deletionTimestamp === undefined) {
    await deps.store.update(key, encodeStored(terminating(object, deps.clock.now())), modRevision);
  }
}

function terminating(object: KubeObject, now: number): KubeObject {
  const marked = deepCopy(object);
  marked.metadata.deletionTimestamp = formatTime(now);
  marked.metadata.deletionGracePeriodSeconds = 0;
  marked.metadata.generation = Number(object.metadata.generation ?? 0) + 1;
  return marked;
}
