import type { JsonValue } from '@annex/machinery';
import { expect, it } from 'vitest';
import { reviewStatusOf } from './webhook-response.ts';

const review = (status: JsonValue, type: Record<string, string> = {}): JsonValue => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenReview',
  ...type,
  status,
});

it('the status of a response has the fields that were sent, without nulls', () => {
  const user = { username: 'bob', uid: null, groups: ['g', null], extra: { k: ['v'], none: null } };
  expect(reviewStatusOf(review({ authenticated: true, user, audiences: null, more: 1 }), 'v1')).toEqual({
    authenticated: true,
    user: { username: 'bob', groups: ['g', ''], extra: { k: ['v'], none: [] } },
  });
  expect(reviewStatusOf({}, 'v1')).toEqual({ user: {} });
  expect(reviewStatusOf({ status: { error: 'no' } }, 'v1beta1')).toEqual({ error: 'no', user: {} });
});

it.each<[string, JsonValue, RegExp]>([
  [
    'no object',
    [],
    /^couldn't get version\/kind; json parse error: json: cannot unmarshal array into Go value/,
  ],
  [
    'another kind',
    review({}, { apiVersion: 'v1', kind: 'Status' }),
    /^converting \(v1\.Status\) to \(v1\.TokenReview\): unknown conversion$/,
  ],
  [
    'another version',
    review({ authenticated: true }, { apiVersion: 'authentication.k8s.io/v1beta1' }),
    /^converting \(v1beta1\.TokenReview\) to \(v1\.TokenReview\): unknown conversion$/,
  ],
  [
    'the string true',
    review({ authenticated: 'true' }),
    /unmarshal string into Go struct field TokenReviewStatus\.status\.authenticated of type bool$/,
  ],
  [
    'a user that is a text',
    review({ user: 'bob' }),
    /unmarshal string into Go struct field .* of type v1\.UserInfo$/,
  ],
  [
    'a group alone',
    review({ user: { groups: 'g' } }),
    /field UserInfo\.status\.user\.groups of type \[\]string$/,
  ],
  [
    'a group that is a number',
    review({ user: { groups: [1] } }),
    /unmarshal number .*groups of type string$/,
  ],
  ['extra that is a list', review({ user: { extra: [] } }), /extra of type map\[string\]v1\.ExtraValue$/],
  ['an extra value alone', review({ user: { extra: { k: 'v' } } }), /extra of type v1\.ExtraValue$/],
])('%s is refused', (_what, response, why) => {
  expect(() => reviewStatusOf(response, 'v1')).toThrow(why);
});
