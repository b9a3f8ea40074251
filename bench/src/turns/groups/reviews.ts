import { byKey } from '../large-objects.ts';
import { media } from '../turn-row.ts';
import { core, post, range, row, type RequestGroup } from './request-group.ts';

const access = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const resourceAttributes = { verb: 'get', resource: 'pods', namespace: 'large' };
export const reviews: RequestGroup = {
  name: 'reviews',
  rows: () => [
    row(
      'access, 30,000 groups',
      post(access, { spec: { user: 'a', groups: range(30_000, (i) => `group-${i}`), resourceAttributes } }),
    ),
    row(
      'access, 30,000 names in extra',
      post(access, {
        spec: { user: 'a', extra: byKey(30_000, (i) => [`extra-${i}`, ['x']]), resourceAttributes },
      }),
    ),
    row(
      'access, 90,000 values of an extra',
      post(access, { spec: { user: 'a', extra: { a: range(90_000, (i) => `v${i}`) }, resourceAttributes } }),
    ),
    row(
      'access, 20,000 requirements',
      post(access, {
        spec: {
          user: 'a',
          resourceAttributes: {
            ...resourceAttributes,
            labelSelector: {
              requirements: range(20_000, (i) => ({ key: `k${i}`, operator: 'In', values: ['a', 'b'] })),
            },
          },
        },
      }),
    ),
    row(
      'access, long selector',
      post(access, {
        spec: {
          user: 'a',
          resourceAttributes: {
            ...resourceAttributes,
            labelSelector: { rawSelector: `a in (${range(200_000, (i) => `v${i}`).join(',')})` },
          },
        },
      }),
    ),
    row('access as YAML', {
      ...post(access, {
        spec: { user: 'a', extra: byKey(30_000, (i) => [`extra-${i}`, ['x']]), resourceAttributes },
      }),
      type: media.yaml,
    }),
    row(
      'token',
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token: `eyJhbGciOiJSUzI1NiJ9.${'a'.repeat(2_000_000)}.${'b'.repeat(500_000)}` },
      }),
    ),
    row(
      'token, audiences',
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        spec: { token: 'a.b.c', audiences: range(90_000, (i) => `a${i}`) },
      }),
    ),
    row(
      'rules',
      post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace: 'large' } }),
    ),
    row(
      'token request, audiences',
      post(`${core}/serviceaccounts/default/token`, {
        spec: { audiences: range(50_000, (i) => `audience-${i}`) },
      }),
    ),
  ],
};
