import { StatusError } from '@annex/machinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createImpersonator, type Impersonator, maxImpersonatedUsers } from './impersonation.ts';
import { rbacAuthorizer } from '../authz/rbac-authorizer.ts';
import { ask, RbacFixture, userOf } from '../authz/rbac.fixture.ts';
import type { UserInfo } from '../types.ts';
import { alwaysAllowGroups, unionAuthorizer } from '../authz/union-authorizer.ts';

let rbac: RbacFixture;
let impersonator: Impersonator;
beforeEach(() => {
  rbac = new RbacFixture();
  impersonator = createImpersonator(
    unionAuthorizer([alwaysAllowGroups('system:masters'), rbacAuthorizer(rbac.feed)]),
  );
});
afterEach(() => rbac.close());

const become = async (by: UserInfo, ...headers: [string, string][]) => {
  try {
    const made = await impersonator.impersonate(
      headers.flat(),
      ask(by, 'list', 'pods', { namespace: 'default' }),
    );
    return made?.user;
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
};

const root = userOf('root', 'system:masters');
const builder = 'system:serviceaccount:default:builder';

describe('impersonation by a privileged user', () => {
  const rows: [string, [string, string][], unknown][] = [
    ['no user is impersonated without headers', [['Accept', '*/*']], undefined],
    [
      'a user is authenticated',
      [['Impersonate-User', 'bob']],
      { name: 'bob', groups: ['system:authenticated'], extra: {} },
    ],
    [
      'the first of several user ids is used, even if it is empty',
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Uid', ''],
        ['Impersonate-Uid', 'u'],
      ],
      { name: 'bob', groups: ['system:authenticated'], extra: {} },
    ],
    [
      'groups come as sent',
      [
        ['Impersonate-User', 'bob'],
        ['impersonate-group', 'a,b'],
        ['Impersonate-Group', 'c'],
      ],
      { name: 'bob', groups: ['a,b', 'c', 'system:authenticated'], extra: {} },
    ],
    [
      'uid and extra are taken',
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Uid', 'u'],
        ['Impersonate-Extra-acme.com%2fP', 'x'],
      ],
      { name: 'bob', uid: 'u', groups: ['system:authenticated'], extra: { 'acme.com/p': ['x'] } },
    ],
    [
      'a service account has its groups',
      [['Impersonate-User', builder]],
      {
        name: builder,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        extra: {},
      },
    ],
    [
      'a service account with groups has only those',
      [
        ['Impersonate-User', builder],
        ['Impersonate-Group', 'g'],
      ],
      { name: builder, groups: ['g', 'system:authenticated'], extra: {} },
    ],
    [
      'anonymous is unauthenticated',
      [['Impersonate-User', 'system:anonymous']],
      { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: {} },
    ],
    [
      'system:unauthenticated stays alone',
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Group', 'system:unauthenticated'],
      ],
      { name: 'bob', groups: ['system:unauthenticated'], extra: {} },
    ],
    [
      'system:masters may be had by the verb impersonate',
      [
        ['Impersonate-User', 'bob'],
        ['Impersonate-Group', 'system:masters'],
      ],
      { name: 'bob', groups: ['system:masters', 'system:authenticated'], extra: {} },
    ],
    [
      'a node gets the group of nodes',
      [['Impersonate-User', 'system:node:n1']],
      { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'], extra: {} },
    ],
  ];
  it.each(rows)('%s', async (_, headers, expected) => {
    expect(await become(root, ...headers)).toEqual(expected);
  });

  it.each([['Impersonate-Group'], ['Impersonate-Uid'], ['Impersonate-Extra-a']])(
    '%s alone is a bad request',
    async (header) => {
      expect(await become(root, [header, 'x'])).toMatch(
        /^400 requested .* without impersonating a user name$/,
      );
    },
  );
});

describe('impersonation with few rights', () => {
  const anna = userOf('anna');
  const constrained = (mode: string) =>
    `403 pods is forbidden: User "anna" cannot impersonate-on:${mode}:list resource "pods" in API group "" in the namespace "default"`;

  it('is refused with the error of the first applicable mode', async () => {
    expect(await become(anna, ['Impersonate-User', 'bob'])).toBe(constrained('user-info'));
    expect(await become(anna, ['Impersonate-User', builder])).toBe(constrained('serviceaccount'));
    expect(await become(anna, ['Impersonate-User', 'system:node:n'])).toBe(constrained('arbitrary-node'));
  });

  it('is refused with the error of the mode that succeeded before', async () => {
    await rbac.clusterRole('users', { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] });
    await rbac.bindCluster('anna', 'users', { kind: 'User', name: 'anna' });
    expect(await become(anna, ['Impersonate-User', 'bob'])).toMatchObject({ name: 'bob' });
    const rows: [[string, string], string][] = [
      [
        ['Impersonate-Group', 'dev'],
        'groups "dev" is forbidden: User "anna" cannot impersonate resource "groups" in API group "" at the cluster scope',
      ],
      [
        ['Impersonate-Uid', 'u'],
        'uids.authentication.k8s.io "u" is forbidden: User "anna" cannot impersonate resource "uids" in API group "authentication.k8s.io" at the cluster scope',
      ],
      [
        ['Impersonate-Extra-scopes', 'v'],
        'userextras.authentication.k8s.io "v" is forbidden: User "anna" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
      ],
    ];
    for (const [header, text] of rows) {
      expect(await become(anna, ['Impersonate-User', 'bob'], header)).toBe(`403 ${text}`);
    }
  });

  it('is allowed for one kind of request by a constrained mode', async () => {
    await rbac.clusterRole('see-as', {
      apiGroups: ['authentication.k8s.io'],
      resources: ['users'],
      verbs: ['impersonate:user-info'],
    });
    await rbac.clusterRole('on-list', {
      apiGroups: [''],
      resources: ['pods'],
      verbs: ['impersonate-on:user-info:list'],
    });
    await rbac.bindCluster('a', 'see-as', { kind: 'User', name: 'anna' });
    await rbac.bindCluster('b', 'on-list', { kind: 'User', name: 'anna' });
    expect(await become(anna, ['Impersonate-User', 'bob'])).toMatchObject({ name: 'bob' });
    expect(await become(anna, ['Impersonate-User', 'bob'], ['Impersonate-Group', 'system:masters'])).toBe(
      '403 groups.authentication.k8s.io "system:masters" is forbidden: User "anna" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    );
  });
});

it('the mode of one user more than maxImpersonatedUsers is not cached', async () => {
  let checks = 0;
  const made = createImpersonator({
    name: 'a',
    authorize({ verb }) {
      checks += 1;
      return { decision: verb === 'impersonate' ? 'allow' : 'noOpinion', reason: '' };
    },
  });
  const checksOf = async (user: string) => {
    checks = 0;
    await made.impersonate(['Impersonate-User', 'bob'], ask(userOf(user), 'get', 'pods'));
    return checks;
  };
  const first = await checksOf('u0');
  const second = await checksOf('u0');
  expect(second).toBeLessThan(first);
  for (let i = 1; i < maxImpersonatedUsers; i++) await checksOf(`u${i}`);
  expect(await checksOf('u0')).toBe(second);
  await checksOf(`u${maxImpersonatedUsers}`);
  expect(await checksOf('u0')).toBe(first);
});
