import { isObject, type JsonValue } from '@annex/machinery';
import type { Clock } from '@annex/runtime';
import { ExpiringCache } from '../../expiring-cache.ts';
import { Fields, part, requireReviewType } from '../../go-fields.ts';
import { noTypeText } from '../../go-json-type.ts';
import type { Attributes, Authorizer, Decision } from '../../types.ts';
import { maxReviewResponseBytes, withAttempts } from '../../webhook-attempts.ts';
import { accessReviewSpec, type AccessReviewSpec } from '../access-review-spec.ts';
import type { ReviewClient } from '../delegated-authorizer.ts';
import { type MatchCondition, matchOutcome } from './match-conditions.ts';

/** How a webhook is asked who may do what. */
export interface WebhookAuthorizerOptions {
  name: string;
  client: ReviewClient;
  version: 'v1' | 'v1beta1';
  timeoutMs: number;
  /** How long answers are kept, in milliseconds; 0 for not at all. */
  authorizedMs: number;
  unauthorizedMs: number;
  conditions: readonly MatchCondition[];
  /** What holds where the webhook does not answer, or nobody can say whether it is to be asked. */
  onError: 'noOpinion' | 'deny';
  clock: Pick<Clock, 'monotonic' | 'sleep'>;
}

interface ReviewStatus {
  allowed: boolean;
  denied: boolean;
  reason: string;
}

export const maxRememberedAccessReviews = 8192;
/** What a client says of its request may not fill the cache. */
export const maxRememberedRequestLength = 10_000;
/** Decides by SubjectAccessReviews that it sends to a webhook. Source: "Webhook Mode" of the Kubernetes documentation. */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { conditions, onError, authorizedMs, unauthorizedMs, clock } = options;
  const answers = new ExpiringCache<ReviewStatus>(
    ({ allowed }) => (allowed ? authorizedMs : unauthorizedMs),
    () => clock.monotonic(),
    maxRememberedAccessReviews,
  );
  const failed = (evaluationError: string): Decision => ({ decision: onError, reason: '', evaluationError });
  return {
    name: `Webhook ${options.name}`,
    authorize(attributes) {
      const spec = accessReviewSpec(attributes);
      const outcome = conditions.length > 0 ? matchOutcome(conditions, spec) : { matches: true };
      if ('error' in outcome) return failed(outcome.error);
      if (!outcome.matches) return { decision: 'noOpinion', reason: '' };
      const key = JSON.stringify(spec);
      const known = answers.get(key);
      if (known !== undefined) return decisionOf(known);
      const ask = () => review(options, spec);
      const asked = isShort(attributes) ? answers.getOr(key, ask) : ask();
      return asked.then(decisionOf, (error: Error) => failed(error.message));
    },
  };
}

const isShort = (asked: Attributes): boolean => {
  const { namespace, verb, apiGroup, apiVersion, resource, subresource, name, path } = asked;
  const texts = [namespace, verb, apiGroup, apiVersion, resource, subresource, name, path];
  return texts.reduce((sum, text) => sum + text.length, 0) < maxRememberedRequestLength;
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
  // The URL of the kubeconfig is the place to ask.
  const path = `?timeout=${timeoutMs / 1000}s`;
  const headers = { accept: 'application/json, */*' };
  return await withAttempts(clock, timeoutMs, async () => {
    const answer = await client.json<JsonValue>({
      method: 'POST',
      path,
      headers,
      body,
      timeoutMs,
      maxBytes: maxReviewResponseBytes,
    });
    return reviewStatusOf(answer, body.apiVersion);
  });
}

/** Reads the status of an answered review. Throws where it is anything else, in kube's words. */
function reviewStatusOf(answer: JsonValue, asked: string): ReviewStatus {
  if (answer === null) return { allowed: false, denied: false, reason: '' };
  if (!isObject(answer)) throw new Error(noTypeText(answer));
  requireReviewType(answer, 'SubjectAccessReview', asked);
  const at = 'SubjectAccessReviewStatus.status';
  const version = asked.slice(asked.indexOf('/') + 1);
  const type = `${version}.SubjectAccessReviewStatus`;
  const of = new Fields(at, part(answer.status, 'SubjectAccessReview.status', type));
  return {
    allowed: of.bool('allowed') ?? false,
    denied: of.bool('denied') ?? false,
    reason: of.text('reason') ?? '',
  };
}
