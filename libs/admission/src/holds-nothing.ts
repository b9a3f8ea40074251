import type { AdmissionHost } from './host.ts';
import type { KnownObjects } from '@annex/server';

/**
 * Makes the question whether it is known that nothing is stored under the prefix of a resource: the ordinary case of what configures
 * admission, asked by every write.
 */
export function holdsNothing(host: AdmissionHost, prefix: string): () => boolean {
  let cache: KnownObjects | undefined;
  return () => {
    cache ??= host.objects(prefix);
    return cache.revision > 0 && cache.size === 0;
  };
}
