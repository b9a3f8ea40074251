import type { AdmissionHost } from './host.ts';
import type { KnownObjects } from '@annex/server';

/**
 * Returns a function that reports whether a resource has no stored objects. Every write calls it; most
 * installations have no objects that configure admission.
 */
export function holdsNothing(host: AdmissionHost, prefix: string): () => boolean {
  let cache: KnownObjects | undefined;
  return () => {
    cache ??= host.objects(prefix);
    return cache.revision > 0 && cache.size === 0;
  };
}
