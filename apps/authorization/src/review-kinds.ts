import {
  aggregateText,
  type Attributes,
  type Authorizer,
  type AuthorizerChain,
  type PolicyRule,
  type UserInfo,
} from '@annex/auth';
import { badRequest, type FieldError, invalid, type KubeObject } from '@annex/machinery';
import type { KindExtension, RequestContext } from '@annex/server';
import { reviewSelectors } from './review-selectors.ts';
import type { AccessReviewSpec } from './review-types.ts';
import { validateLocal, validateMetadata, validateSpec } from './review-validation.ts';

/** Who answers reviews. */
export interface ReviewDeps {
  authorizer: AuthorizerChain;
}

type Answer = (review: KubeObject, ctx: RequestContext) => Promise<KubeObject>;

const subjectAccessReview =
  ({ authorizer }: ReviewDeps): Answer =>
  async (review, ctx) => {
    const spec = specOf(review);
    requireValid([...validateSpec(spec, true), ...validateMetadata(review, false)]);
    return answered(review, await accessStatus(authorizer, spec, subjectOf(spec), ctx));
  };

const localSubjectAccessReview =
  ({ authorizer }: ReviewDeps): Answer =>
  async (review, ctx) => {
    const spec = specOf(review);
    requireValid([
      ...validateSpec(spec, true),
      ...validateMetadata(review, true),
      ...validateLocal(review, spec),
    ]);
    if ((review.metadata.namespace ?? '') !== ctx.info.namespace) {
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${ctx.info.namespace}`);
    }
    return answered(review, await accessStatus(authorizer, spec, subjectOf(spec), ctx));
  };

const selfSubjectAccessReview =
  ({ authorizer }: ReviewDeps): Answer =>
  async (review, ctx) => {
    const spec = specOf(review);
    requireValid([...validateSpec(spec, false), ...validateMetadata(review, false)]);
    return answered(review, await accessStatus(authorizer, spec, ctx.user, ctx));
  };

const selfSubjectRulesReview =
  ({ authorizer }: ReviewDeps): Answer =>
  async (review, ctx) => {
    const { namespace } = (review.spec ?? {}) as { namespace?: string };
    if (!namespace) throw badRequest('no namespace on request');
    const own = await authorizer.rulesFor(ctx.user, namespace);
    const status = {
      resourceRules: own.rules.filter((rule) => rule.resources?.length).map(resourceRule),
      nonResourceRules: own.rules
        .filter((rule) => rule.nonResourceURLs?.length)
        .map(({ verbs = [], nonResourceURLs }) => ({ verbs, nonResourceURLs })),
      incomplete: own.incomplete ?? false,
      ...(own.problems.length > 0 ? { evaluationError: aggregateText(own.problems) } : {}),
    };
    const { apiVersion, kind } = review;
    return { kind, apiVersion, metadata: {}, spec: {}, status } as KubeObject;
  };

const resourceRule = ({ verbs = [], apiGroups, resources, resourceNames }: PolicyRule) => ({
  verbs,
  ...(apiGroups?.length ? { apiGroups } : {}),
  resources,
  ...(resourceNames?.length ? { resourceNames } : {}),
});

const specOf = (review: KubeObject): AccessReviewSpec => (review.spec ?? {}) as AccessReviewSpec;

function requireValid(errors: readonly FieldError[]): void {
  // kube leaves the kind out of these texts.
  if (errors.length > 0) throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

const subjectOf = ({ user = '', uid, groups, extra }: AccessReviewSpec): UserInfo => ({
  name: user,
  ...(uid ? { uid } : {}),
  groups: groups ?? [],
  extra: extra ?? {},
});

const answered = (review: KubeObject, status: Record<string, unknown>): KubeObject => ({ ...review, status });

async function accessStatus(
  authorizer: Authorizer,
  spec: AccessReviewSpec,
  user: UserInfo,
  { trace }: RequestContext,
): Promise<Record<string, unknown>> {
  const { problems: ignored, ...selectors } = reviewSelectors(spec.resourceAttributes ?? {});
  const asked = { ...attributesOf(spec, user), ...selectors };
  const answer = await authorizer.authorize(asked);
  trace.review = { asked, decision: answer };
  const { decision, reason, evaluationError } = answer;
  const problems = [...(evaluationError ? [evaluationError] : []), ...ignored];
  return {
    allowed: decision === 'allow',
    ...(decision === 'deny' ? { denied: true } : {}),
    ...(reason ? { reason } : {}),
    ...(problems.length > 0 ? { evaluationError: problems.join('; ') } : {}),
  };
}

function attributesOf(
  { resourceAttributes, nonResourceAttributes }: AccessReviewSpec,
  user: UserInfo,
): Attributes {
  const {
    verb = '',
    group = '',
    version = '',
    resource = '',
    subresource = '',
    namespace = '',
    name = '',
  } = resourceAttributes ?? {};
  return {
    user,
    verb: nonResourceAttributes ? (nonResourceAttributes.verb ?? '') : verb,
    resourceRequest: !nonResourceAttributes,
    apiGroup: group,
    apiVersion: version || '*',
    resource,
    subresource,
    namespace,
    name,
    path: nonResourceAttributes?.path ?? '',
  };
}

/** What the kinds of `authorization.k8s.io` add to what is recorded of them, by resource. */
export const reviewKinds = (deps: ReviewDeps): Readonly<Record<string, KindExtension>> => ({
  subjectaccessreviews: { strategy: { answer: subjectAccessReview(deps) } },
  localsubjectaccessreviews: { strategy: { answer: localSubjectAccessReview(deps) } },
  selfsubjectaccessreviews: { strategy: { answer: selfSubjectAccessReview(deps) } },
  selfsubjectrulesreviews: { strategy: { answer: selfSubjectRulesReview(deps) } },
});
