import type { ResourceKind } from '@annex/kinds';
import { ownTurn } from '@annex/runtime';
import type { ServerDeps } from './app.ts';

/**
 * Loads the watch caches of built-in kinds, one after the other, so that reads with `resourceVersion=0` and watches do not need the store
 * later. kube-apiserver does it too, except for objects that expire. Errors are those of the next reader.
 */
export async function loadCaches(
  { feed }: Pick<ServerDeps, 'feed'>,
  kinds: Iterable<ResourceKind>,
  signal: AbortSignal,
): Promise<void> {
  const prefixes = new Set<string>();
  for (const { storage, behavior } of kinds)
    if (storage !== undefined && storage.ttlSeconds === undefined && behavior.typed)
      prefixes.add(storage.prefix);
  for (const prefix of prefixes) {
    if (signal.aborted) return;
    await feed
      .objects(prefix)
      .waitFor(0)
      .catch(() => undefined);
    await ownTurn();
  }
}
