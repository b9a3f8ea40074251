import { failure, FieldPath, finish, parseLabelSelector, StatusError } from '@annex/machinery';
import { FakeClock } from '@annex/testkit';
import { describe, expect, it } from 'vitest';
import { ask, userOf } from '../rbac.fixture.ts';
import { compileMatchConditions } from './match-conditions.ts';
import { webhookAuthorizer, type WebhookAuthorizerOptions } from './webhook-authorizer.ts';

interface ReceivedRequest {
  apiVersion: string;
  spec: Record<string, unknown>;
}

/** A webhook that sends these responses in turn, and repeats the last one. */
function hook(
  responses: readonly unknown[],
  options: Partial<WebhookAuthorizerOptions> & { when?: string[] } = {},
) {
  const requests: ReceivedRequest[] = [];
  const clock = new FakeClock();
  const { when = [], ...rest } = options;
  const authorizer = webhookAuthorizer({
    name: 'w',
    client: {
      json: <T>({ body }: { body: unknown }) => {
        requests.push(body as ReceivedRequest);
        const response = responses[Math.min(requests.length, responses.length) - 1];
        return response instanceof Error
          ? Promise.reject(response)
          : Promise.resolve({ status: response } as T);
      },
    },
    version: 'v1',
    timeoutMs: 3000,
    authorizedMs: 1000,
    unauthorizedMs: 100,
    conditions: finish(compileMatchConditions(when, FieldPath.root)).conditions,
    onError: 'noOpinion',
    clock,
    ...rest,
  });
  return { requests, clock, authorizer };
}

const question = ask(userOf('eve', 'dev'), 'list', 'pods');
const yes = { allowed: true, reason: 'because' };
const no = { allowed: false };

describe('a webhook', () => {
  it.each([
    ['allows', yes, { decision: 'allow', reason: 'because' }],
    ['has no opinion', no, { decision: 'noOpinion', reason: '' }],
    ['denies', { denied: true, reason: 'never' }, { decision: 'deny', reason: 'never' }],
    [
      'that allows and denies denies',
      { allowed: true, denied: true },
      {
        decision: 'deny',
        reason: '',
        evaluationError: 'webhook subject access review returned both allow and deny response',
      },
    ],
  ])('%s', async (_what, status, decision) => {
    expect(await hook([status]).authorizer.authorize(question)).toEqual(decision);
  });

  it('is called once while its response is cached', async () => {
    const { requests, authorizer, clock } = hook([no, yes]);
    await authorizer.authorize(question);
    await clock.advance(99);
    expect(authorizer.authorize(question)).toEqual({ decision: 'noOpinion', reason: '' });
    await clock.advance(1);
    await authorizer.authorize(question);
    await clock.advance(999);
    expect(authorizer.authorize(question)).toEqual({ decision: 'allow', reason: 'because' });
    expect(requests).toHaveLength(2);
  });

  // The limit is maxCachedRequestLength.
  it('is called each time if responses are not cached, or the review is too long', async () => {
    const never = hook([yes], { authorizedMs: 0 });
    await never.authorizer.authorize(question);
    await never.authorizer.authorize(question);
    expect(never.requests).toHaveLength(2);
    const { requests, authorizer } = hook([yes]);
    const long = { ...question, name: 'x'.repeat(10_000) };
    await authorizer.authorize(long);
    await authorizer.authorize(long);
    expect(requests).toHaveLength(2);
  });

  it('is called with the configured API version', async () => {
    const { requests, authorizer } = hook([yes], { version: 'v1beta1' });
    await authorizer.authorize(question);
    expect(requests[0]).toMatchObject({
      apiVersion: 'authorization.k8s.io/v1beta1',
      spec: { group: ['dev'] },
    });
    expect(requests[0]?.spec).not.toHaveProperty('groups');
  });

  it('is called again after a temporary failure only', async () => {
    const { requests, authorizer, clock } = hook([failure('InternalError', 'oops'), yes]);
    const response = authorizer.authorize(question);
    await clock.advance(0);
    await clock.advance(500);
    expect(await response).toMatchObject({ decision: 'allow' });
    expect(requests).toHaveLength(2);
    const other = hook([new Error('refused'), yes]);
    expect(await other.authorizer.authorize(question)).toEqual({
      decision: 'noOpinion',
      reason: '',
      evaluationError: 'refused',
    });
  });

  it.each([
    [
      'another kind',
      { apiVersion: 'v1', kind: 'Pod' },
      'converting (v1.Pod) to (v1.SubjectAccessReview): unknown conversion',
    ],
    [
      'another version',
      { apiVersion: 'authorization.k8s.io/v1beta1' },
      'converting (v1beta1.SubjectAccessReview) to (v1.SubjectAccessReview): unknown conversion',
    ],
    [
      'a decision that is not a boolean',
      { status: { allowed: 'yes' } },
      'json: cannot unmarshal string into Go struct field SubjectAccessReviewStatus.status.allowed of type bool',
    ],
  ])('that responds with %s has failed', async (_what, more, evaluationError) => {
    const client = { json: <T>() => Promise.resolve({ status: yes, ...more } as T) };
    expect(await hook([], { client }).authorizer.authorize(question)).toEqual({
      decision: 'noOpinion',
      reason: '',
      evaluationError,
    });
  });

  it('is called again after Retry-After, within the timeout', async () => {
    const later = (retryAfterSeconds: number) =>
      new StatusError({ ...failure('ServiceUnavailable', 'later').status, details: { retryAfterSeconds } });
    const { requests, authorizer, clock } = hook([later(2), yes]);
    const response = authorizer.authorize(question);
    await clock.advance(0);
    await clock.advance(1999);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect(await response).toMatchObject({ decision: 'allow' });
    const patient = hook([later(3), yes]);
    expect(await patient.authorizer.authorize(question)).toMatchObject({
      evaluationError: 'context deadline exceeded',
    });
  });

  it('is not called again if it is unavailable without Retry-After', async () => {
    const { requests, authorizer } = hook([failure('ServiceUnavailable', 'later'), yes]);
    expect(await authorizer.authorize(question)).toMatchObject({ evaluationError: 'later' });
    expect(requests).toHaveLength(1);
  });

  it('denies if it fails and its failurePolicy is Deny', async () => {
    const { authorizer } = hook([new Error('refused')], { onError: 'deny' });
    expect(await authorizer.authorize(question)).toMatchObject({
      decision: 'deny',
      evaluationError: 'refused',
    });
  });
});

describe('match conditions', () => {
  const labelled = { ...question, labelSelector: parseLabelSelector('a in (b)').requirements };
  const cases: [expression: string, attributes: typeof question, concerns: boolean][] = [
    ['has(request.resourceAttributes)', question, true],
    ['has(request.nonResourceAttributes)', question, false],
    ["request.resourceAttributes.namespace == ''", question, true],
    ["request.nonResourceAttributes.path == '/x'", ask(userOf('eve'), 'get', '/x'), true],
    [
      "'dev' in request.groups && request.user == 'eve' && request.uid == '' && size(request.extra) == 0",
      question,
      true,
    ],
    [
      "request.resourceAttributes.labelSelector.requirements.exists(r, r.key == 'a' && r.operator == 'In' && r.values == ['b'])",
      labelled,
      true,
    ],
    ['has(request.resourceAttributes.labelSelector)', question, false],
  ];

  it.each(cases)('%s', async (expression, attributes, concerns) => {
    const { requests, authorizer } = hook([yes], { when: [expression] });
    await authorizer.authorize(attributes);
    expect(requests).toHaveLength(concerns ? 1 : 0);
  });

  it('that have no value count as a failure, unless another does not hold', async () => {
    const broken = "request.nonResourceAttributes.path == '/x'";
    const { authorizer } = hook([yes], { when: [broken], onError: 'deny' });
    expect(await authorizer.authorize(question)).toEqual({
      decision: 'deny',
      reason: '',
      evaluationError: `cel evaluation error: expression '${broken}' resulted in error: no such key: nonResourceAttributes`,
    });
    const other = hook([yes], { when: [broken, "request.user == 'bob'"] });
    expect(await other.authorizer.authorize(question)).toEqual({ decision: 'noOpinion', reason: '' });
  });
});
