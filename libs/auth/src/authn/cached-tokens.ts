import { createHash } from 'node:crypto';
import type { TokenAuthenticator } from './bearer-token-authenticator.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import type { Authenticated } from '../types.ts';

/** Tokens in the cache; the oldest is removed. */
export const maxCachedTokens = 10_000;

/** Caches accepted tokens for a while, as kube-apiserver does; refused tokens are checked each time. */
export function cachedTokens(
  authenticator: TokenAuthenticator,
  forMs: number,
  now: () => number,
): TokenAuthenticator {
  const results = new ExpiringCache<Authenticated | undefined>(
    (result) => (result === undefined ? 0 : forMs),
    now,
    maxCachedTokens,
  );
  return {
    name: authenticator.name,
    authenticateToken(token, audiences) {
      const key = createHash('sha256')
        .update(token)
        .update(JSON.stringify(audiences ?? null))
        .digest('base64');
      return results.getOr(key, async () => await authenticator.authenticateToken(token, audiences));
    },
  };
}
