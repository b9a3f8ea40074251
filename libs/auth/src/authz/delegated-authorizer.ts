import { internalError } from '@annex/machinery';
import { ExpiringCache } from '../expiring-cache.ts';
import { maxReviewResponseBytes } from '../webhook-attempts.ts';
import { accessReviewSpec } from './access-review-spec.ts';
import type { Authorizer, Decision } from '../types.ts';

/** Sends reviews to another API server; `Client` of `@annex/client` implements it. */
export interface ReviewClient {
  json<T>(request: {
    method: string;
    path: string;
    headers?: Record<string, string>;
    body: unknown;
    timeoutMs?: number;
    maxBytes?: number;
  }): Promise<T>;
}

export interface DelegatedAuthorizerOptions {
  client: ReviewClient;
  /** How long allowed decisions are cached, in milliseconds. */
  allowedForMs?: number;
  refusedForMs?: number;
  /** Milliseconds of a monotonic clock. */
  now?: () => number;
}

const tenSeconds = 10_000;
/** Decisions in the cache of SubjectAccessReviews; the oldest is removed. */
export const maxDelegatedReviews = 10_000;
/** Milliseconds in which the API server has to respond to a TokenReview or SubjectAccessReview. Source: `k8s.io/apiserver`. */
export const delegatedReviewTimeoutMs = 10_000;

/** Request options for reviews that are sent to another API server. */
export const delegatedReview = {
  method: 'POST',
  timeoutMs: delegatedReviewTimeoutMs,
  maxBytes: maxReviewResponseBytes,
};

interface ReviewStatus {
  allowed?: boolean;
  denied?: boolean;
  reason?: string;
  evaluationError?: string;
}

/**
 * Authorizes by SubjectAccessReviews that it sends to another API server, as extension API servers do.
 * Decisions are cached for a few seconds. Throws 500 if the server does not respond: without a decision there
 * is no access.
 */
export function delegatedAuthorizer(options: DelegatedAuthorizerOptions): Authorizer {
  const {
    client,
    allowedForMs = tenSeconds,
    refusedForMs = tenSeconds,
    now = () => performance.now(),
  } = options;
  const lifetime = ({ decision }: Decision) => (decision === 'allow' ? allowedForMs : refusedForMs);
  const decisions = new ExpiringCache<Decision>(lifetime, now, maxDelegatedReviews);
  return {
    name: 'Webhook',
    authorize(attributes) {
      const spec = accessReviewSpec(attributes);
      const key = JSON.stringify(spec);
      return decisions.get(key) ?? decisions.getOr(key, () => review(client, spec));
    },
  };
}

async function review(client: ReviewClient, spec: object): Promise<Decision> {
  const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
  let status: ReviewStatus;
  try {
    status = (await client.json<{ status?: ReviewStatus }>({ ...delegatedReview, path, body })).status ?? {};
  } catch (error) {
    throw internalError(`the access review failed: ${(error as Error).message}`);
  }
  const { allowed = false, denied = false, reason = '', evaluationError } = status;
  const decision = allowed ? 'allow' : denied ? 'deny' : 'noOpinion';
  return { decision, reason, ...(evaluationError ? { evaluationError } : {}) };
}

/** Allows every user these paths (`/healthz`), and their subpaths if they end in `/*`. */
export function alwaysAllowPaths(...paths: string[]): Authorizer {
  const exact = new Set(paths.filter((path) => !path.endsWith('*')));
  const prefixes = paths.filter((path) => path.endsWith('*')).map((path) => path.slice(0, -1));
  return {
    name: 'AlwaysAllowPaths',
    authorize({ resourceRequest, path }) {
      const open =
        !resourceRequest && (exact.has(path) || prefixes.some((prefix) => path.startsWith(prefix)));
      return { decision: open ? 'allow' : 'noOpinion', reason: '' };
    },
  };
}
