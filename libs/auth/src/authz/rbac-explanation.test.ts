import { afterEach, beforeEach, expect, it } from 'vitest';
import { rbacAuthorizer } from './rbac-authorizer.ts';
import { ask, RbacFixture, userOf } from './rbac.fixture.ts';
import type { Attributes } from '../types.ts';
import { alwaysAllowGroups, unionAuthorizer } from './union-authorizer.ts';

let rbac: RbacFixture;
beforeEach(async () => {
  rbac = new RbacFixture();
  await rbac.clusterRole('reader', { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] });
  await rbac.clusterRole('named', {
    apiGroups: ['apps'],
    resources: ['deployments'],
    resourceNames: ['web'],
    verbs: ['get'],
  });
  await rbac.clusterRole('visitor', { nonResourceURLs: ['/healthz'], verbs: ['get'] });
  const bob = { kind: 'User', name: 'bob' };
  await rbac.bind('dev', 'reads', 'ClusterRole', 'reader', bob);
  await rbac.bindCluster('one', 'named', bob);
  await rbac.bindCluster('visits', 'visitor', { kind: 'Group', name: 'guests' });
});
afterEach(() => rbac.close());

const bob = userOf('bob');
const explained = async (attributes: Attributes) => {
  const authorizer = unionAuthorizer([alwaysAllowGroups('system:masters'), rbacAuthorizer(rbac.feed)]);
  const explanations = (await authorizer.explain?.(attributes)) ?? [];
  return explanations.map(({ authorizer: name, decision, rules = [] }) => [
    name,
    decision,
    ...rules.map(({ binding, lacks }) => `${binding.split(' of ')[0]} lacks ${lacks.join(',') || 'nothing'}`),
  ]);
};

it.each<[string, Attributes, string[]]>([
  [
    'shows the rules that allow, and no other',
    ask(bob, 'list', 'pods', { namespace: 'dev' }),
    ['RBAC', 'allow', 'RoleBinding "reads/dev" lacks nothing'],
  ],
  [
    'shows what would allow it in another namespace first',
    ask(bob, 'list', 'pods', { namespace: 'prod' }),
    [
      'RBAC',
      'noOpinion',
      'RoleBinding "reads/dev" lacks namespace',
      'ClusterRoleBinding "one" lacks verbs,apiGroups,resources,resourceNames',
    ],
  ],
  [
    'names each field of a rule that does not fit',
    ask(bob, 'get', 'deployments', { apiGroup: 'apps', namespace: 'prod', name: 'db' }),
    [
      'RBAC',
      'noOpinion',
      'ClusterRoleBinding "one" lacks resourceNames',
      'RoleBinding "reads/dev" lacks namespace,apiGroups,resources',
    ],
  ],
  [
    'explains paths by rules for paths',
    ask(userOf('eve', 'guests'), 'get', '/metrics'),
    ['RBAC', 'noOpinion', 'ClusterRoleBinding "visits" lacks nonResourceURLs'],
  ],
  ['reports that a user has no rules', ask(userOf('eve'), 'get', 'pods'), ['RBAC', 'noOpinion']],
])('%s', async (_sentence, attributes, rbacExplanation) => {
  expect(await explained(attributes)).toEqual([['AlwaysAllowGroups', 'noOpinion'], rbacExplanation]);
});

it('shows the three closest of many rules, the first ones among equals', async () => {
  const rules = Array.from({ length: 2000 }, (_, i) => ({
    apiGroups: [''],
    resources: ['pods'],
    verbs: [i === 1500 ? 'get' : 'list'],
    ...(i > 0 && { resourceNames: [`p${i}`] }),
  }));
  await rbac.clusterRole('long', ...rules);
  await rbac.bindCluster('long', 'long', { kind: 'User', name: 'eve' });
  await rbac.bind('dev', 'long', 'ClusterRole', 'long', { kind: 'User', name: 'eve' });
  const [, [, , ...nearest] = []] = await explained(ask(userOf('eve'), 'get', 'pods', { namespace: 'prod' }));
  expect(nearest).toEqual([
    'ClusterRoleBinding "long" lacks verbs',
    'ClusterRoleBinding "long" lacks resourceNames',
    'ClusterRoleBinding "long" lacks verbs,resourceNames',
  ]);
});

it('shows at most a hundred rules that allow', async () => {
  const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
  await rbac.clusterRole('same', ...Array.from({ length: 200 }, () => rule));
  await rbac.bindCluster('same', 'same', { kind: 'User', name: 'eve' });
  const [, [, , ...allowing] = []] = await explained(ask(userOf('eve'), 'get', 'pods'));
  expect(allowing).toEqual(Array(100).fill('ClusterRoleBinding "same" lacks nothing'));
});

it('runs no authorizer after the one that decides', async () => {
  expect(await explained(ask(userOf('root', 'system:masters'), 'get', 'pods'))).toEqual([
    ['AlwaysAllowGroups', 'allow'],
  ]);
});
