import { createHash } from 'node:crypto';
import type { Client } from '@annex/client';
import { GrpcError, grpcStatus } from '@annex/tunnel';
import { headerValues } from './agent-headers.ts';
import type { AgentAuthenticator } from './serve-agents.ts';

/** Milliseconds for one TokenReview. */
export const agentReviewTimeoutMs = 10_000;

/** TokenReviews whose result is kept. */
export const maxKeptReviews = 1_000;

/** TokenReviews at a time; further agents are refused, and connect again later. */
export const maxPendingReviews = 100;

/** Milliseconds that the result of a TokenReview is kept: that of kube-apiserver's webhook for tokens. */
const keptMs = 10_000;

/** The service account that agents must have. */
export interface AgentAccount {
  namespace: string;
  serviceAccount: string;
  audience: string;
}

interface TokenReviewStatus {
  authenticated?: boolean;
  error?: string;
  user?: { username?: string };
  audiences?: string[];
}

interface Kept {
  until: number;
  status: Promise<TokenReviewStatus>;
}

/** Authenticates agents by their service-account tokens, with TokenReviews. The texts are those of apiserver-network-proxy. */
export function createTokenAuthenticator(
  client: Pick<Client, 'json'>,
  account: AgentAccount,
): AgentAuthenticator {
  const reviews = new TokenReviews(client, account.audience);
  return async (rawHeaders) => {
    const status = await reviews.review(bearerToken(rawHeaders));
    const problem = problemOf(status, account);
    if (problem !== undefined)
      throw refused(`Failed to validate authentication token, err:lookup failed: ${problem}`);
  };
}

const refused = (message: string): GrpcError => new GrpcError(grpcStatus.UNKNOWN, message);

function bearerToken(rawHeaders: readonly string[]): string {
  const values = headerValues(rawHeaders, 'authorization');
  const [value] = values;
  if (value === undefined) throw refused('Authentication context was not found in metadata');
  if (values.length > 1) throw refused(`too many (${values.length}) tokens are received`);
  if (!value.startsWith('Bearer ')) throw refused('received token does not have "Bearer " prefix');
  return value.slice('Bearer '.length);
}

function problemOf(
  status: TokenReviewStatus,
  { namespace, serviceAccount }: AgentAccount,
): string | undefined {
  if (status.error) return status.error;
  if (status.authenticated !== true) return 'service account jwt not valid';
  const parts = (status.user?.username ?? '').split(':');
  if (parts.length !== 4) return 'unexpected username format';
  if (parts[0] !== 'system' || parts[1] !== 'serviceaccount')
    return 'username returned is not a service account';
  if (parts[2] !== namespace)
    return `incoming request from ${JSON.stringify(parts[2])} namespace. Expected ${JSON.stringify(namespace)}`;
  if (parts[3] !== serviceAccount)
    return `incoming request from ${JSON.stringify(parts[3])} service account. Expected ${JSON.stringify(serviceAccount)}`;
  return undefined;
}

/** TokenReviews, kept by the hash of the token. */
class TokenReviews {
  readonly #client: Pick<Client, 'json'>;
  readonly #audience: string;
  readonly #kept = new Map<string, Kept>();
  #pending = 0;

  constructor(client: Pick<Client, 'json'>, audience: string) {
    this.#client = client;
    this.#audience = audience;
  }

  review(token: string): Promise<TokenReviewStatus> {
    const key = createHash('sha256').update(token).digest('base64');
    const known = this.#kept.get(key);
    if (known !== undefined && known.until > performance.now()) return known.status;
    if (this.#pending >= maxPendingReviews) throw refused('too many TokenReviews are pending');
    const status = this.#request(token);
    this.#keep(key, { status, until: performance.now() + keptMs });
    // An API server that is unreachable for a moment says nothing about the token.
    status.catch(() => this.#kept.delete(key));
    return status;
  }

  async #request(token: string): Promise<TokenReviewStatus> {
    this.#pending++;
    try {
      const { status = {} } = await this.#client.json<{ status?: TokenReviewStatus }>({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenReview',
          spec: { token, audiences: [this.#audience] },
        },
        timeoutMs: agentReviewTimeoutMs,
      });
      // A server that does not know audiences would accept a token for another one.
      if (status.authenticated === true && !(status.audiences ?? []).includes(this.#audience))
        return { error: `the token is not for the audience ${JSON.stringify(this.#audience)}` };
      return status;
    } finally {
      this.#pending--;
    }
  }

  #keep(key: string, kept: Kept): void {
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKeptReviews && oldest !== undefined) this.#kept.delete(oldest);
  }
}
