import { createHash } from 'node:crypto';
import { internalError } from '@annex/machinery';
import type { TokenAuthenticator } from './bearer-token-authenticator.ts';
import { delegatedReview, type ReviewClient } from '../authz/delegated-authorizer.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import { type Authenticated, CredentialsError } from '../types.ts';

export interface DelegatedTokensOptions {
  client: ReviewClient;
  /** The audiences of this server; those of the other server, where left out. */
  audiences?: readonly string[];
  /** How long a good token is remembered, in milliseconds. */
  rememberedForMs?: number;
  /** Milliseconds since some moment, from a clock that never jumps. */
  now?: () => number;
}

interface ReviewStatus {
  authenticated?: boolean;
  user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
  audiences?: string[];
  error?: string;
}

export const maxDelegatedTokens = 10_000;

/**
 * Knows the tokens that another API server knows, by TokenReviews, as extension API servers do. Good tokens are
 * remembered for a few seconds. Throws 500 where the server does not answer.
 */
export function delegatedTokens(options: DelegatedTokensOptions): TokenAuthenticator {
  const { client, rememberedForMs = 10_000, now = () => performance.now() } = options;
  const answers = new ExpiringCache<ReviewStatus>(
    ({ authenticated }) => (authenticated ? rememberedForMs : 0),
    now,
    maxDelegatedTokens,
  );
  return {
    name: 'token-review',
    async authenticateToken(token, asked) {
      const audiences = asked ?? options.audiences ?? [];
      const key = createHash('sha256').update(token).update(JSON.stringify(audiences)).digest('base64');
      return answerOf(await answers.getOr(key, () => review(client, token, audiences)));
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

function answerOf({ authenticated, user = {}, audiences, error }: ReviewStatus): Authenticated | undefined {
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
