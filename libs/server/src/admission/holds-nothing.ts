import type { ServerDeps } from '../app.ts';

/** True where it is known that nothing is stored under the prefix of a resource: the ordinary case of what configures admission. */
export function holdsNothing({ feed }: Pick<ServerDeps, 'feed'>, prefix: string): boolean {
  const cache = feed.objects(prefix);
  return cache.revision > 0 && cache.size === 0;
}
