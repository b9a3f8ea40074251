import {
  aggregateText,
  type Attributes,
  type Authorizer,
  type AuthorizerChain,
  type Decision,
  type PolicyRule,
  type UserInfo,
} from '@annex/auth';
import {
  badRequest,
  type FieldError,
  finish,
  finishInSlices,
  invalid,
  type KubeObject,
} from '@annex/machinery';
import { pause } from '@annex/server';
import type { ExtendedKind, RequestContext } from '@annex/kinds';
import { eachInSlices, mapMaybePromise } from '@annex/runtime';
import { hasLongSelector, hasSelector, readSelectors } from './selectors.ts';
import type { AccessReviewSpec } from './types.ts';
import { selectorErrors, validateLocal, validateMetadata, validateSpec } from './validation.ts';

/** Dependencies of the access reviews. */
export interface ReviewDeps {
  authorizer: AuthorizerChain;
}

type ReviewHandler = (review: KubeObject, request: RequestContext) => KubeObject | Promise<KubeObject>;

type AccessReviewHandler = (
  review: KubeObject,
  request: RequestContext,
  ofSelectors: readonly FieldError[],
) => ReturnType<ReviewHandler>;

const noErrors: readonly FieldError[] = [];

/** Validates the selectors of a review first, in slices if they are long. */
const afterSelectors =
  (handle: AccessReviewHandler): ReviewHandler =>
  (review, request) => {
    const { resourceAttributes } = specOf(review);
    if (!resourceAttributes || !hasSelector(resourceAttributes)) return handle(review, request, noErrors);
    const passes = selectorErrors(resourceAttributes);
    return hasLongSelector(resourceAttributes)
      ? finishInSlices(passes, pause).then((errors) => handle(review, request, errors))
      : handle(review, request, finish(passes));
  };

const subjectAccessReview = ({ authorizer }: ReviewDeps): ReviewHandler =>
  afterSelectors((review, request, ofSelectors) => {
    const spec = specOf(review);
    requireValid(validateSpec(spec, true, ofSelectors), validateMetadata(review, false));
    return responded(review, authorizer, subjectOf(spec), request);
  });

const localSubjectAccessReview = ({ authorizer }: ReviewDeps): ReviewHandler =>
  afterSelectors((review, request, ofSelectors) => {
    const spec = specOf(review);
    requireValid(
      validateSpec(spec, true, ofSelectors),
      validateMetadata(review, true),
      validateLocal(review, spec),
    );
    if ((review.metadata.namespace ?? '') !== request.info.namespace) {
      throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${request.info.namespace}`);
    }
    return responded(review, authorizer, subjectOf(spec), request);
  });

const selfSubjectAccessReview = ({ authorizer }: ReviewDeps): ReviewHandler =>
  afterSelectors((review, request, ofSelectors) => {
    requireValid(validateSpec(specOf(review), false, ofSelectors), validateMetadata(review, false));
    return responded(review, authorizer, request.user, request);
  });

const selfSubjectRulesReview =
  ({ authorizer }: ReviewDeps): ReviewHandler =>
  async (review, request) => {
    const { namespace } = (review.spec ?? {}) as { namespace?: string };
    if (!namespace) throw badRequest('no namespace on request');
    const own = await authorizer.rulesFor(request.user, namespace);
    const [resourceRules, nonResourceRules]: [object[], object[]] = [[], []];
    await eachInSlices(own.rules, (rule) => {
      const { verbs = [], nonResourceURLs } = rule;
      if (rule.resources?.length) resourceRules.push(resourceRule(rule));
      if (nonResourceURLs?.length) nonResourceRules.push({ verbs, nonResourceURLs });
    });
    const status = {
      resourceRules,
      nonResourceRules,
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

function requireValid(...found: readonly (readonly FieldError[])[]): void {
  // kube leaves the kind out of these messages.
  if (found.some((errors) => errors.length > 0)) {
    throw invalid({ group: 'authorization.k8s.io', kind: '' }, '', found.flat());
  }
}

function subjectOf({ user = '', uid, groups, extra }: AccessReviewSpec): UserInfo {
  const subject: UserInfo = { name: user, groups: groups ?? [], extra: extra ?? {} };
  if (uid) subject.uid = uid;
  return subject;
}

/** Returns the review with the decision of the authorizer in its status. */
function responded(
  review: KubeObject,
  authorizer: Authorizer,
  user: UserInfo,
  { trace }: RequestContext,
): KubeObject | Promise<KubeObject> {
  const spec = specOf(review);
  const attributes = attributesOf(spec, user);
  const { resourceAttributes } = spec;
  const complete = (ignored: readonly string[]): KubeObject | Promise<KubeObject> =>
    mapMaybePromise(authorizer.authorize(attributes), (decision) => {
      trace.review = { attributes, decision };
      return { ...review, status: accessStatus(decision, ignored) };
    });
  if (!resourceAttributes || !hasSelector(resourceAttributes)) return complete([]);
  const reading = readSelectors(resourceAttributes, attributes);
  return hasLongSelector(resourceAttributes)
    ? finishInSlices(reading, pause).then(complete)
    : complete(finish(reading));
}

function accessStatus(
  { decision, reason, evaluationError }: Decision,
  ignored: readonly string[],
): Record<string, unknown> {
  const status: Record<string, unknown> = { allowed: decision === 'allow' };
  if (decision === 'deny') status.denied = true;
  if (reason) status.reason = reason;
  const problems = evaluationError ? [evaluationError, ...ignored] : ignored;
  if (problems.length > 0) status.evaluationError = problems.join('; ');
  return status;
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

export const reviewGroup = 'authorization.k8s.io';

const reviewKind = (resource: string, respond: ReviewHandler): ExtendedKind => ({
  group: reviewGroup,
  resource,
  strategy: { respond },
});

/** Returns the kinds of `authorization.k8s.io`. */
export const reviewKinds = (deps: ReviewDeps): readonly ExtendedKind[] => [
  reviewKind('localsubjectaccessreviews', localSubjectAccessReview(deps)),
  reviewKind('selfsubjectaccessreviews', selfSubjectAccessReview(deps)),
  reviewKind('selfsubjectrulesreviews', selfSubjectRulesReview(deps)),
  reviewKind('subjectaccessreviews', subjectAccessReview(deps)),
];
