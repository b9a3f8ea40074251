import { setImmediate } from 'node:timers/promises';
import { finishSoon, isObject, type JsonValue } from '@annex/machinery';
import { type Clock, mapMaybePromise } from '@annex/runtime';
import { ExpiringCache } from '../../expiring-cache.ts';
import { Fields, part, requireReviewType } from '../../go-fields.ts';
import { noTypeText } from '../../go-json-type.ts';
import type { Attributes, Authorizer, Decision } from '../../types.ts';
import { maxReviewResponseBytes, withAttempts } from '../../webhook-attempts.ts';
import { accessReviewSpec, type AccessReviewSpec } from '../access-review-spec.ts';
import type { ReviewClient } from '../delegated-authorizer.ts';
import { type MatchCondition, matchOutcome } from './match-conditions.ts';

/** The settings of a webhook authorizer. */
export interface WebhookAuthorizerOptions {
  name: string;
  client: ReviewClient;
  version: 'v1' | 'v1beta1';
  timeoutMs: number;
  /** How long allowed decisions are cached, in milliseconds; 0 disables the cache. */
  authorizedMs: number;
  unauthorizedMs: number;
  conditions: readonly MatchCondition[];
  /** The decision if the webhook does not respond, or if a match condition fails. */
  onError: 'noOpinion' | 'deny';
  clock: Pick<Clock, 'monotonic' | 'sleep'>;
}

interface ReviewStatus {
  allowed: boolean;
  denied: boolean;
  reason: string;
}

/** Decisions in the cache of the webhook; the oldest is removed. Source: kube-apiserver. */
export const maxCachedAccessReviews = 8192;
/** Characters of a review that is cached: clients must not be able to fill the cache with long requests. */
export const maxCachedRequestLength = 10_000;
/**
 * Authorizes by SubjectAccessReviews that it sends to a webhook. Source: "Webhook Mode" of the Kubernetes
 * documentation.
 */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { conditions, onError, authorizedMs, unauthorizedMs, clock } = options;
  const reviews = new ExpiringCache<ReviewStatus>(
    ({ allowed }) => (allowed ? authorizedMs : unauthorizedMs),
    () => clock.monotonic(),
    maxCachedAccessReviews,
  );
  const failed = (evaluationError: string): Decision => ({ decision: onError, reason: '', evaluationError });
  const decide = (spec: AccessReviewSpec, isCached: boolean): Decision | Promise<Decision> => {
    const key = JSON.stringify(spec);
    const known = reviews.get(key);
    if (known !== undefined) return decisionOf(known);
    const ask = () => review(options, spec);
    const requested = isCached ? reviews.getOr(key, ask) : ask();
    return requested.then(decisionOf, (error: Error) => failed(error.message));
  };
  return {
    name: `Webhook ${options.name}`,
    authorize(attributes) {
      const spec = accessReviewSpec(attributes);
      if (conditions.length === 0) return decide(spec, isShort(attributes));
      const outcome = finishSoon(matchOutcome(conditions, spec), () => setImmediate());
      return mapMaybePromise(outcome, (matched) => {
        if ('error' in matched) return failed(matched.error);
        return matched.matches ? decide(spec, isShort(attributes)) : { decision: 'noOpinion', reason: '' };
      });
    },
  };
}

const isShort = (requested: Attributes): boolean => {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name, path } = requested;
  const texts = [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path];
  return texts.reduce((sum, text) => sum + text.length, 0) < maxCachedRequestLength;
};

function decisionOf({ allowed, denied, reason }: ReviewStatus): Decision {
  if (allowed && denied) {
    const evaluationError = 'webhook subject access review returned both allow and deny response';
    return { decision: 'deny', reason, evaluationError };
  }
  return { decision: denied ? 'deny' : allowed ? 'allow' : 'noOpinion', reason };
}

async function review(
  { client, clock, version, timeoutMs }: WebhookAuthorizerOptions,
  { groups, ...spec }: AccessReviewSpec,
): Promise<ReviewStatus> {
  const body = {
    kind: 'SubjectAccessReview',
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec: { ...spec, ...(groups ? { [version === 'v1' ? 'groups' : 'group']: groups } : {}) },
    status: { allowed: false },
  };
  // The URL of the kubeconfig is the endpoint.
  const path = `?timeout=${timeoutMs / 1000}s`;
  const headers = { accept: 'application/json, */*' };
  return await withAttempts(clock, timeoutMs, async () => {
    const response = await client.json<JsonValue>({
      method: 'POST',
      path,
      headers,
      body,
      timeoutMs,
      maxBytes: maxReviewResponseBytes,
    });
    return reviewStatusOf(response, body.apiVersion);
  });
}

/**
 * Reads the status of a SubjectAccessReview response. Throws kube-apiserver's message if it is anything else.
 */
function reviewStatusOf(response: JsonValue, requested: string): ReviewStatus {
  if (response === null) return { allowed: false, denied: false, reason: '' };
  if (!isObject(response)) throw new Error(noTypeText(response));
  requireReviewType(response, 'SubjectAccessReview', requested);
  const at = 'SubjectAccessReviewStatus.status';
  const version = requested.slice(requested.indexOf('/') + 1);
  const type = `${version}.SubjectAccessReviewStatus`;
  const of = new Fields(at, part(response.status, 'SubjectAccessReview.status', type));
  return {
    allowed: of.bool('allowed') ?? false,
    denied: of.bool('denied') ?? false,
    reason: of.text('reason') ?? '',
  };
}
