import { createHash } from 'node:crypto';
import type { JsonValue } from '@annex/machinery';
import type { Clock } from '@annex/runtime';
import type { TokenAuthenticator } from '../authn/bearer-token-authenticator.ts';
import type { ReviewClient } from '../authz/delegated-authorizer.ts';
import { ExpiringCache } from '../expiring-cache.ts';
import { type Authenticated, CredentialsError } from '../types.ts';
import { maxReviewResponseBytes, withAttempts } from '../webhook-attempts.ts';
import { type ReviewStatus, reviewStatusOf } from './webhook-answer.ts';

/** How a webhook is asked about tokens: the `--authentication-token-webhook-*` options. */
export interface WebhookTokensOptions {
  client: ReviewClient;
  version: 'v1' | 'v1beta1';
  /** The audiences of this server. */
  audiences: readonly string[];
  /** How long an answer, good or bad, is remembered, in milliseconds. */
  cacheTtlMs: number;
  clock: Pick<Clock, 'monotonic' | 'sleep'>;
}

const name = 'webhook';
/** Milliseconds of one attempt to ask the webhook about a token. Source: kube-apiserver. */
export const tokenReviewTimeoutMs = 30_000;
export const maxWebhookTokens = 10_000;
/** Knows the tokens that a webhook knows, by TokenReviews. Where it does not answer, the token is refused. */
export function webhookTokens(options: WebhookTokensOptions): TokenAuthenticator {
  const { audiences: own, cacheTtlMs, clock } = options;
  // `null` is a token that the webhook does not know, which is remembered too.
  const answers = new ExpiringCache<Authenticated | CredentialsError | null>(
    (answer) => (answer instanceof CredentialsError ? 0 : cacheTtlMs),
    () => clock.monotonic(),
    maxWebhookTokens,
  );
  return {
    name,
    async authenticateToken(token, asked = own) {
      const key = createHash('sha256').update(token).update(JSON.stringify(asked)).digest('base64');
      const answer = await answers.getOr(key, async () => {
        const status = await review(options, token, asked).catch((error: Error) => {
          throw new CredentialsError(error.message);
        });
        return answerOf(status, asked, own) ?? null;
      });
      if (answer instanceof CredentialsError) throw answer;
      return answer ?? undefined;
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
    // The whole URL of the kubeconfig is the place to ask.
    const path = `?timeout=${tokenReviewTimeoutMs / 1000}s`;
    const headers = { accept: 'application/json, */*' };
    const answer = await client.json<JsonValue>({
      method: 'POST',
      path,
      headers,
      body,
      timeoutMs: tokenReviewTimeoutMs,
      maxBytes: maxReviewResponseBytes,
    });
    return reviewStatusOf(answer, version);
  });
}

function answerOf(
  { authenticated, user = {}, audiences = [], error }: ReviewStatus,
  asked: readonly string[],
  own: readonly string[],
): Authenticated | CredentialsError | undefined {
  const meant = audiences.length > 0 ? audiences : own;
  const common = meant.filter((audience) => asked.includes(audience));
  if (asked.length > 0 && common.length === 0) return undefined;
  if (!authenticated) return error ? new CredentialsError(error) : undefined;
  const { username = '', uid, groups = [], extra = {} } = user;
  return {
    user: { name: username, ...(uid ? { uid } : {}), groups, extra },
    by: name,
    audiences: common,
  };
}
