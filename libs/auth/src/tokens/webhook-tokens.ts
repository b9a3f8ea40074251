import { createHash } from 'node:crypto';
import type { JsonValue } from '@annex/machinery';
import type { Clock } from '@annex/runtime';
import type { TokenAuthenticator } from '../authn/bearer-token-authenticator.ts';
import type { ReviewClient } from '../authz/delegated-authorizer.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import { type Authenticated, CredentialsError } from '../types.ts';
import { maxReviewResponseBytes, withAttempts } from '../webhook-attempts.ts';
import { type ReviewStatus, reviewStatusOf } from './webhook-response.ts';

/** The `--authentication-token-webhook-*` options. */
export interface WebhookTokensOptions {
  client: ReviewClient;
  version: 'v1' | 'v1beta1';
  /** The audiences of this server. */
  audiences: readonly string[];
  /** How long a result is cached, accepted or not, in milliseconds. */
  cacheTtlMs: number;
  clock: Pick<Clock, 'monotonic' | 'sleep'>;
}

const name = 'webhook';
/** Milliseconds of one attempt to review a token. Source: kube-apiserver. */
export const tokenReviewTimeoutMs = 30_000;
/** Tokens in the cache of the webhook; the oldest is removed. */
export const maxWebhookTokens = 10_000;
/**
 * Authenticates tokens by TokenReviews of a webhook. If the webhook does not respond, the token is refused.
 */
export function webhookTokens(options: WebhookTokensOptions): TokenAuthenticator {
  const { audiences: own, cacheTtlMs, clock } = options;
  // `null` is a token that the webhook does not know; it is cached too.
  const results = new ExpiringCache<Authenticated | CredentialsError | null>(
    (result) => (result instanceof CredentialsError ? 0 : cacheTtlMs),
    () => clock.monotonic(),
    maxWebhookTokens,
  );
  return {
    name,
    async authenticateToken(token, requested = own) {
      const key = createHash('sha256').update(token).update(JSON.stringify(requested)).digest('base64');
      const result = await results.getOr(key, async () => {
        const status = await review(options, token, requested).catch((error: Error) => {
          throw new CredentialsError(error.message);
        });
        return resultOf(status, requested, own) ?? null;
      });
      if (result instanceof CredentialsError) throw result;
      return result ?? undefined;
    },
  };
}

async function review(
  { client, clock, version }: WebhookTokensOptions,
  token: string,
  audiences: readonly string[],
): Promise<ReviewStatus> {
  const spec = { token, ...(audiences.length > 0 ? { audiences } : {}) };
  const body = {
    kind: 'TokenReview',
    apiVersion: `authentication.k8s.io/${version}`,
    metadata: {},
    spec,
    status: { user: {} },
  };
  return await withAttempts(clock, tokenReviewTimeoutMs, async () => {
    // The URL of the kubeconfig is the whole endpoint.
    const path = `?timeout=${tokenReviewTimeoutMs / 1000}s`;
    const headers = { accept: 'application/json, */*' };
    const result = await client.json<JsonValue>({
      method: 'POST',
      path,
      headers,
      body,
      timeoutMs: tokenReviewTimeoutMs,
      maxBytes: maxReviewResponseBytes,
    });
    return reviewStatusOf(result, version);
  });
}

function resultOf(
  { authenticated, user = {}, audiences = [], error }: ReviewStatus,
  requested: readonly string[],
  own: readonly string[],
): Authenticated | CredentialsError | undefined {
  const meant = audiences.length > 0 ? audiences : own;
  const common = meant.filter((audience) => requested.includes(audience));
  if (requested.length > 0 && common.length === 0) return undefined;
  if (!authenticated) return error ? new CredentialsError(error) : undefined;
  const { username = '', uid, groups = [], extra = {} } = user;
  return {
    user: { name: username, ...(uid ? { uid } : {}), groups, extra },
    by: name,
    audiences: common,
  };
}
