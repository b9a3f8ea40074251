import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rbacAuthorizer } from './rbac-authorizer.ts';
import { rbacPrefixes } from './rbac-types.ts';
import { ask, RbacFixture, userOf } from './rbac.fixture.ts';
import type { Attributes } from '../types.ts';
import { alwaysAllowGroups, unionAuthorizer } from './union-authorizer.ts';

let rbac: RbacFixture;
beforeEach(() => {
  rbac = new RbacFixture();
});
afterEach(() => rbac.close());

const user = (name: string) => ({ kind: 'User', name });
const group = (name: string) => ({ kind: 'Group', name });
const account = (name: string, namespace?: string) => ({
  kind: 'ServiceAccount',
  name,
  ...(namespace ? { namespace } : {}),
});

const decide = async (attributes: Attributes) => {
  const { decision, reason } = await rbacAuthorizer(rbac.feed).authorize(attributes);
  return decision === 'allow' ? reason : `no: ${reason}`;
};

describe('rbacAuthorizer', () => {
  const bob = userOf('bob', 'dev');
  const builder = userOf('system:serviceaccount:ci:builder');

  beforeEach(async () => {
    await rbac.clusterRole('reader', {
      apiGroups: [''],
      resources: ['pods', 'pods/log', '*/scale'],
      verbs: ['get', 'list'],
    });
    await rbac.clusterRole('named', {
      apiGroups: ['apps'],
      resources: ['*'],
      resourceNames: ['a'],
      verbs: ['*'],
    });
    await rbac.clusterRole('paths', { nonResourceURLs: ['/healthz', '/logs/*'], verbs: ['get'] });
    await rbac.role('ci', 'writer', { apiGroups: ['*'], resources: ['configmaps'], verbs: ['create'] });
    await rbac.bindCluster('devs-read', 'reader', user('alice'), group('dev'));
    await rbac.bindCluster('devs-named', 'named', group('dev'));
    await rbac.bindCluster('devs-paths', 'paths', group('dev'));
    await rbac.bindCluster('no-namespace', 'paths', account('builder'));
    await rbac.bind('ci', 'writers', 'Role', 'writer', user('bob'), account('builder'));
    await rbac.bind('ci', 'broken', 'Role', 'absent', user('carol'));
  });

  const readers = 'RBAC: allowed by ClusterRoleBinding "devs-read" of ClusterRole "reader" to Group "dev"';
  const named = 'RBAC: allowed by ClusterRoleBinding "devs-named" of ClusterRole "named" to Group "dev"';
  const paths = 'RBAC: allowed by ClusterRoleBinding "devs-paths" of ClusterRole "paths" to Group "dev"';
  const rows: [string, Attributes, string][] = [
    ['a cluster-wide rule holds at the cluster scope', ask(bob, 'list', 'pods'), readers],
    [
      'a cluster-wide rule holds in every namespace',
      ask(bob, 'get', 'pods', { namespace: 'x', name: 'p' }),
      readers,
    ],
    ['a subresource needs a separate rule', ask(bob, 'get', 'pods/exec'), 'no: '],
    ['a listed subresource is allowed', ask(bob, 'get', 'pods/log'), readers],
    ['a subresource of every resource is allowed', ask(bob, 'get', 'anything/scale'), readers],
    ['another verb is not', ask(bob, 'delete', 'pods'), 'no: '],
    ['another group is not', ask(bob, 'get', 'pods', { apiGroup: 'metrics.k8s.io' }), 'no: '],
    [
      'a name that is listed is allowed',
      ask(bob, 'patch', 'deployments/status', { apiGroup: 'apps', name: 'a' }),
      named,
    ],
    ['another name is not', ask(bob, 'patch', 'deployments', { apiGroup: 'apps', name: 'b' }), 'no: '],
    [
      'names do not allow to create without one',
      ask(bob, 'create', 'deployments', { apiGroup: 'apps' }),
      'no: ',
    ],
    ['a path is allowed', ask(bob, 'get', '/healthz'), paths],
    ['a path below a star is allowed', ask(bob, 'get', '/logs/a/b'), paths],
    ['a path beside it is not', ask(bob, 'get', '/logsx'), 'no: '],
    [
      'a role holds in its namespace',
      ask(bob, 'create', 'configmaps', { namespace: 'ci' }),
      'RBAC: allowed by RoleBinding "writers/ci" of Role "writer" to User "bob"',
    ],
    ['a role holds nowhere else', ask(bob, 'create', 'configmaps', { namespace: 'other' }), 'no: '],
    [
      'a service account is bound in the namespace of its binding',
      ask(builder, 'create', 'configmaps', { namespace: 'ci', apiGroup: 'x' }),
      'RBAC: allowed by RoleBinding "writers/ci" of Role "writer" to ServiceAccount "builder/ci"',
    ],
    [
      'a cluster-wide subject without namespace matches no service account',
      ask(builder, 'get', '/healthz'),
      'no: ',
    ],
    [
      'the first subject that applies is named',
      ask(userOf('alice', 'dev'), 'list', 'pods'),
      'RBAC: allowed by ClusterRoleBinding "devs-read" of ClusterRole "reader" to User "alice"',
    ],
    [
      'a missing role is reported',
      ask(userOf('carol'), 'get', 'pods', { namespace: 'ci' }),
      'no: RBAC: role.rbac.authorization.k8s.io "absent" not found',
    ],
  ];
  it.each(rows)('%s', async (_, attributes, expected) => {
    expect(await decide(attributes)).toBe(expected);
  });

  it('decides without a promise once the objects are loaded', async () => {
    const authorizer = rbacAuthorizer(rbac.feed);
    await authorizer.start();
    expect(authorizer.authorize(ask(bob, 'list', 'pods'))).toEqual({ decision: 'allow', reason: readers });
  });

  it('follows every change for the next question', async () => {
    const authorizer = rbacAuthorizer(rbac.feed);
    const carol = ask(userOf('carol'), 'get', 'secrets', { namespace: 'ci' });
    const decision = async () => (await authorizer.authorize(carol)).decision;
    expect(await decision()).toBe('noOpinion');
    await rbac.role('ci', 'absent', { apiGroups: [''], resources: ['secrets'], verbs: ['get'] });
    expect(await decision()).toBe('allow');
    await rbac.role('ci', 'absent');
    await rbac.feed.objects(rbacPrefixes.roles).waitFor();
    expect(await decision()).toBe('noOpinion');
    await rbac.bindCluster('carols', 'everything', user('carol'));
    await rbac.clusterRole('everything', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] });
    expect(await decision()).toBe('allow');
    await rbac.bindCluster('carols', 'everything', user('dave'));
    await rbac.feed.objects(rbacPrefixes.roles).waitFor();
    expect(await decision()).toBe('noOpinion');
    await rbac.store.delete(`${rbacPrefixes.clusterRoleBindings}carols`);
    await rbac.feed.objects(rbacPrefixes.roles).waitFor();
    expect((await authorizer.authorize({ ...carol, user: userOf('dave') })).decision).toBe('noOpinion');
  });

  it('lists the rules of a user once for each binding', async () => {
    const { rules, problems } = await rbacAuthorizer(rbac.feed).rulesFor(userOf('alice', 'dev'), 'ci');
    expect(rules.map((rule) => rule.verbs)).toEqual([['get', 'list'], ['*'], ['get']]);
    expect(problems).toEqual([]);
  });
});

describe('unionAuthorizer', () => {
  it('allows everything to system:masters without a reason', async () => {
    const authorizer = unionAuthorizer([alwaysAllowGroups('system:masters'), rbacAuthorizer(rbac.feed)]);
    expect(authorizer.authorize(ask(userOf('root', 'system:masters'), 'delete', 'nodes'))).toEqual({
      decision: 'allow',
      reason: '',
    });
    expect(await authorizer.authorize(ask(userOf('root'), 'delete', 'nodes'))).toEqual({
      decision: 'noOpinion',
      reason: '',
    });
  });
});

describe('large objects', () => {
  const rules = (verb: string) =>
    Array.from({ length: 6000 }, (_, i) => ({ apiGroups: [`group-${i}`], resources: ['a'], verbs: [verb] }));
  const subjects = (name: string) => [
    ...Array.from({ length: 6000 }, (_, i) => ({
      ...user(`another-user-${i}`),
      apiGroup: 'rbac.authorization.k8s.io',
    })),
    user(name),
  ];

  it('apply to the next request after each change', async () => {
    const authorizer = rbacAuthorizer(rbac.feed);
    const isAllowed = async (name: string, verb: string) => {
      const attributes = ask(userOf(name), verb, 'a', { apiGroup: 'group-5999' });
      return (await authorizer.authorize(attributes)).decision === 'allow';
    };
    await rbac.clusterRole('large', ...rules('get'));
    await rbac.bindCluster('large', 'large', ...subjects('alice'));
    await authorizer.start();
    expect([await isAllowed('alice', 'get'), await isAllowed('alice', 'list')]).toEqual([true, false]);
    await rbac.clusterRole('large', ...rules('list'));
    expect(await isAllowed('alice', 'list')).toBe(true);
    await rbac.bindCluster('large', 'large', ...subjects('bob'));
    expect(await isAllowed('bob', 'list')).toBe(true);
    expect(await isAllowed('alice', 'list')).toBe(false);
    await rbac.store.delete(`${rbacPrefixes.clusterRoleBindings}large`);
    expect(await isAllowed('carol', 'list')).toBe(false);
    expect(await isAllowed('bob', 'list')).toBe(false);
  });
});

describe('a user with many rules', () => {
  const many = userOf('many');
  const rules = Array.from({ length: 12_000 }, (_, i) => ({
    apiGroups: ['g'],
    resources: [`r${i}`],
    verbs: ['get'],
  }));

  beforeEach(async () => {
    await rbac.clusterRole('many', ...rules);
    await rbac.bindCluster('many', 'many', user('many'));
  });

  const allowed = 'RBAC: allowed by ClusterRoleBinding "many" of ClusterRole "many" to User "many"';
  it.each<[string, string, string]>([
    ['is allowed what the first rule allows', 'r0', allowed],
    ['is allowed what the last rule allows', 'r11999', allowed],
    ['is refused what no rule allows', 'r12000', 'no: '],
  ])('%s', async (_, resource, expected) => {
    const authorizer = rbacAuthorizer(rbac.feed);
    await authorizer.start();
    const { decision, reason } = await authorizer.authorize(ask(many, 'get', resource, { apiGroup: 'g' }));
    expect(decision === 'allow' ? reason : `no: ${reason}`).toBe(expected);
  });

  it('sees a grant in the next request', async () => {
    const authorizer = rbacAuthorizer(rbac.feed);
    await authorizer.start();
    await rbac.clusterRole('late', { apiGroups: ['g'], resources: ['late'], verbs: ['get'] });
    await rbac.bindCluster('late', 'late', user('many'));
    const { decision } = await authorizer.authorize(ask(many, 'get', 'late', { apiGroup: 'g' }));
    expect(decision).toBe('allow');
  });

  it('has all of them listed, in order', async () => {
    const found = await rbacAuthorizer(rbac.feed).rulesFor(many, 'default');
    expect(found.rules).toEqual(rules);
    expect(found.compiled.map(({ rule }) => rule)).toEqual(rules);
  });
});
