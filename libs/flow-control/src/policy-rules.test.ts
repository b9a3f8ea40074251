import { finish } from '@annex/machinery';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FlowRequest } from './flow-request.ts';
import { compileRules as compileInPasses } from './policy-rules.ts';
import type { PolicyRules } from './specs.ts';
import { flowRequest } from './flow-request.fixture.ts';

const compileRules = (rules: readonly PolicyRules[]) => finish(compileInPasses(rules));

const jane = [{ kind: 'User', user: { name: 'jane' } }];
const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['a'] };
const resource = (rule: object, subjects: PolicyRules['subjects'] = jane): PolicyRules => ({
  subjects,
  resourceRules: [{ ...pods, ...rule }],
});
const path = (...nonResourceURLs: string[]): PolicyRules => ({
  subjects: jane,
  nonResourceRules: [{ verbs: ['get'], nonResourceURLs }],
});
const getPod = flowRequest({ resource: 'pods', namespace: 'a' });
const getPath = (url: string) => flowRequest({ isResourceRequest: false, path: url });
const account = (name: string): FlowRequest => ({ ...getPod, user: { name, groups: [] } });
const accounts = (name: string) => [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name } }];

it.each<[string, boolean, PolicyRules, FlowRequest]>([
  ['a user by name', true, resource({}), getPod],
  ['another user', false, resource({}), account('joe')],
  ['every user', true, resource({}, [{ kind: 'User', user: { name: '*' } }]), account('joe')],
  ['a group', true, resource({}, [{ kind: 'Group', group: { name: 'g' } }]), getPod],
  ['another group', false, resource({}, [{ kind: 'Group', group: { name: 'h' } }]), getPod],
  ['a service account', true, resource({}, accounts('s')), account('system:serviceaccount:n:s')],
  [
    'any service account of a namespace',
    true,
    resource({}, accounts('*')),
    account('system:serviceaccount:n:s'),
  ],
  [
    'a service account of a similar namespace',
    false,
    resource({}, accounts('*')),
    account('system:serviceaccount:nn:s'),
  ],
  ['a kind of subject without its details', false, resource({}, [{ kind: 'User' }]), getPod],
  ['another verb', false, resource({ verbs: ['list'] }), getPod],
  [
    'a wildcard',
    true,
    resource({ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }),
    getPod,
  ],
  ['a wildcard beside another value is no wildcard', false, resource({ verbs: ['*', 'list'] }), getPod],
  [
    'a subresource',
    true,
    resource({ resources: ['pods/log'] }),
    flowRequest({ ...getPod.info, subresource: 'log' }),
  ],
  [
    'a subresource of a named resource',
    false,
    resource({}),
    flowRequest({ ...getPod.info, subresource: 'log' }),
  ],
  ['another group of the API', false, resource({}), flowRequest({ ...getPod.info, apiGroup: 'apps' })],
  ['another namespace', false, resource({}), flowRequest({ ...getPod.info, namespace: 'b' })],
  ['no namespace', false, resource({ namespaces: ['*'] }), flowRequest({ ...getPod.info, namespace: '' })],
  [
    'no namespace, with clusterScope',
    true,
    resource({ clusterScope: true }),
    flowRequest({ ...getPod.info, namespace: '' }),
  ],
  ['a path', true, path('/healthz'), getPath('/healthz')],
  ['a path below it', true, path('/healthz'), getPath('/healthz/etcd')],
  ['a path with the same beginning', false, path('/healthz'), getPath('/healthzz')],
  ['a path by a wildcard', true, path('/openapi/*'), getPath('/openapi/v2')],
  ['every path', true, path('*'), getPath('/x')],
  ['a resource, by a rule for paths', false, path('*'), getPod],
])('%s: %s', (_what, matches, rule, request) => expect(compileRules([rule])(request)).toBe(matches));

it('one of several rules is enough', () => {
  expect(compileRules([path('/a'), path('/b')])(getPath('/b'))).toBe(true);
  expect(compileRules([])(getPod)).toBe(false);
});

const lists = (...values: string[]) => fc.subarray(values);
const subjects = fc.subarray(
  [
    ...['jane', 'system:serviceaccount:n:s', '*'].map((name) => ({ kind: 'User', user: { name } })),
    ...['g', 'h', '*'].map((name) => ({ kind: 'Group', group: { name } })),
    ...['n', 'n:s', 'm'].flatMap((namespace) =>
      ['s', '*'].map((name) => ({ kind: 'ServiceAccount', serviceAccount: { namespace, name } })),
    ),
    { kind: 'User' },
  ],
  { maxLength: 2 },
);
const policyRules = fc.record({
  subjects,
  resourceRules: fc.array(
    fc.record({
      verbs: fc.constant(['*']),
      apiGroups: fc.constant(['']),
      resources: fc.oneof(fc.constant(['*']), lists('pods', 'pods/log', 'nodes', '*')),
      namespaces: lists('a', 'b'),
      clusterScope: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
  nonResourceRules: fc.array(
    fc.record({ verbs: fc.constant(['get']), nonResourceURLs: lists('/a', '/b/*') }),
    { maxLength: 1 },
  ),
});
const requests = fc.record({
  user: fc.record({
    name: fc.constantFrom(
      'jane',
      'joe',
      'system:serviceaccount:n:s',
      'system:serviceaccount:n:s:t',
      'system:serviceaccount:n',
    ),
    groups: lists('g', 'h', 'i'),
  }),
  info: fc.record({
    isResourceRequest: fc.boolean(),
    path: fc.constantFrom('/a', '/a/c', '/b/c', '/c'),
    resource: fc.constantFrom('pods', 'nodes', 'jobs', '*'),
    subresource: fc.constantFrom('', 'log'),
    namespace: fc.constantFrom('', 'a', 'c'),
  }),
});

it('many rules match what each of them matches', () => {
  fc.assert(
    fc.property(fc.array(policyRules, { minLength: 9, maxLength: 40 }), requests, (rules, { user, info }) => {
      const request = { ...flowRequest(info), user };
      expect(compileRules(rules)(request)).toBe(rules.some((rule) => compileRules([rule])(request)));
    }),
    { numRuns: 1000 },
  );
});

it.each<[string, (i: number) => PolicyRules]>([
  ['of other users', (i) => resource({}, [{ kind: 'User', user: { name: `u${i}` } }])],
  ['of other groups', (i) => resource({}, [{ kind: 'Group', group: { name: `h${i}` } }])],
  ['of other resources', (i) => resource({ resources: [`r${i}`] }, [{ kind: 'User', user: { name: '*' } }])],
  ['of the user for other resources', (i) => resource({ resources: [`r${i}`] })],
])('a request is not compared with many rules %s', (_what, ruleOf) => {
  let compared = 0;
  const request = {
    ...getPod,
    get info() {
      compared++;
      return getPod.info;
    },
  };
  expect(compileRules(Array.from({ length: 100 }, (__, i) => ruleOf(i)))(request)).toBe(false);
  expect(compared).toBeLessThan(10);
});

it('many rules are compiled in passes', () => {
  const rules = Array.from({ length: 2000 }, () => resource({}));
  expect([...compileInPasses(rules)].length).toBeGreaterThan(5);
});
