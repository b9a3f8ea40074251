import type { StoredObject, WatchCache } from '@annex/storage';
import type { ServerDeps } from '../app.ts';

/**
 * Makes the question whether it is known that nothing is stored under the prefix of a resource: the ordinary case of what configures
 * admission, asked by every write.
 */
export function holdsNothing({ feed }: Pick<ServerDeps, 'feed'>, prefix: string): () => boolean {
  let cache: WatchCache<StoredObject> | undefined;
  return () => {
    cache ??= feed.objects(prefix);
    return cache.revision > 0 && cache.size === 0;
  };
}
