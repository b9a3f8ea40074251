import { createHash } from 'node:crypto';
import { internalError } from '@annex/machinery';
import type { TokenAuthenticator } from './bearer-token-authenticator.ts';
import { delegatedReview, type ReviewClient } from '../authz/delegated-authorizer.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import { type Authenticated, CredentialsError } from '../types.ts';

export interface DelegatedTokensOptions {
  client: ReviewClient;
  /** The audiences of this server; default: the audiences of the API server. */
  audiences?: readonly string[];
  /** How long an accepted token is cached, in milliseconds. */
  cachedForMs?: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

interface ReviewStatus {
  authenticated?: boolean;
  user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
  audiences?: string[];
  error?: string;
}

/** Tokens in the cache of TokenReviews; the oldest is removed. */
export const maxDelegatedTokens = 10_000;

/**
 * Authenticates tokens by TokenReviews of an API server, as extension API servers do. Accepted tokens are
 * cached for a few seconds. Throws 500 if the API server does not respond.
 */
export function delegatedTokens(options: DelegatedTokensOptions): TokenAuthenticator {
  const { client, cachedForMs = 10_000, now = () => performance.now() } = options;
  const reviews = new ExpiringCache<ReviewStatus>(
    ({ authenticated }) => (authenticated ? cachedForMs : 0),
    now,
    maxDelegatedTokens,
  );
  return {
    name: 'token-review',
    async authenticateToken(token, requested) {
      const audiences = requested ?? options.audiences ?? [];
      const key = createHash('sha256').update(token).update(JSON.stringify(audiences)).digest('base64');
      return userOf(await reviews.getOr(key, () => review(client, token, audiences)));
    },
  };
}

async function review(
  client: ReviewClient,
  token: string,
  audiences: readonly string[],
): Promise<ReviewStatus> {
  const path = '/apis/authentication.k8s.io/v1/tokenreviews';
  const spec = { token, ...(audiences.length > 0 ? { audiences } : {}) };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec };
  try {
    return (await client.json<{ status?: ReviewStatus }>({ ...delegatedReview, path, body })).status ?? {};
  } catch (error) {
    throw internalError(`the token review failed: ${(error as Error).message}`);
  }
}

function userOf({ authenticated, user = {}, audiences, error }: ReviewStatus): Authenticated | undefined {
  if (!authenticated) {
    if (error) throw new CredentialsError(error);
    return undefined;
  }
  const { username = '', uid, groups = [], extra = {} } = user;
  return {
    user: { name: username, ...(uid ? { uid } : {}), groups, extra },
    by: 'token-review',
    ...(audiences ? { audiences } : {}),
  };
}
