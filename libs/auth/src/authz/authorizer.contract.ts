import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ask, RbacFixture, userOf } from './rbac.fixture.ts';
import type { Attributes, Authorizer } from '../types.ts';

/** Options to run the contract on an authorizer. */
export interface AuthorizerContractOptions {
  /** Makes an authorizer that decides by the RBAC objects of the fixture. */
  open(fixture: RbacFixture): Authorizer;
}

const bob = userOf('bob', 'dev', 'system:authenticated');

const cases: [string, Attributes, 'allow' | 'noOpinion'][] = [
  ['allows the verbs of a group', ask(bob, 'list', 'pods', { namespace: 'default' }), 'allow'],
  [
    'allows a subresource that is listed',
    ask(bob, 'get', 'pods/log', { namespace: 'default', name: 'p' }),
    'allow',
  ],
  [
    'refuses another subresource',
    ask(bob, 'create', 'pods/exec', { namespace: 'default', name: 'p' }),
    'noOpinion',
  ],
  ['refuses another verb', ask(bob, 'delete', 'pods', { namespace: 'default', name: 'p' }), 'noOpinion'],
  ['refuses another API group', ask(bob, 'list', 'pods', { apiGroup: 'metrics.k8s.io' }), 'noOpinion'],
  ['refuses another user', ask(userOf('eve'), 'list', 'pods'), 'noOpinion'],
  ['allows a named object', ask(bob, 'update', 'configmaps', { namespace: 'team', name: 'own' }), 'allow'],
  [
    'refuses another name',
    ask(bob, 'update', 'configmaps', { namespace: 'team', name: 'other' }),
    'noOpinion',
  ],
  [
    'refuses another namespace',
    ask(bob, 'update', 'configmaps', { namespace: 'x', name: 'own' }),
    'noOpinion',
  ],
  ['allows a path', ask(bob, 'get', '/healthz'), 'allow'],
  ['refuses another path', ask(bob, 'get', '/metrics'), 'noOpinion'],
  ['does not treat a path as a resource', ask(bob, 'list', '/pods'), 'noOpinion'],
  [
    'treats names of prototype members as plain names',
    ask(userOf('__proto__', 'constructor'), 'get', 'toString'),
    'noOpinion',
  ],
];

/** Registers every case of the authorizer contract for one authorizer. */
export function authorizerContract(name: string, { open }: AuthorizerContractOptions): void {
  describe(`authorizer contract: ${name}`, () => {
    let fixture: RbacFixture;
    let authorizer: Authorizer;
    beforeEach(async () => {
      fixture = new RbacFixture();
      await grantRights(fixture);
      authorizer = open(fixture);
    });
    afterEach(() => fixture.close());

    it.each(cases)('%s', async (_, attributes, expected) => {
      expect((await authorizer.authorize(attributes)).decision).toBe(expected);
    });
    it('returns a reason for allowed requests', async () => {
      const { reason } = await authorizer.authorize(ask(bob, 'get', '/healthz'));
      expect(reason).toBe('RBAC: allowed by ClusterRoleBinding "devs" of ClusterRole "dev" to Group "dev"');
    });
    it('handles concurrent requests', async () => {
      const decisions = await Promise.all(cases.map(([, attributes]) => authorizer.authorize(attributes)));
      expect(decisions.map(({ decision }) => decision)).toEqual(cases.map(([, , expected]) => expected));
    });
  });
}

async function grantRights(rbac: RbacFixture): Promise<void> {
  await rbac.clusterRole(
    'dev',
    { apiGroups: [''], resources: ['pods', 'pods/log'], verbs: ['get', 'list'] },
    { nonResourceURLs: ['/healthz'], verbs: ['get'] },
  );
  await rbac.bindCluster('devs', 'dev', { kind: 'Group', name: 'dev' });
  await rbac.role('team', 'own', {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: ['own'],
    verbs: ['*'],
  });
  await rbac.bind('team', 'own', 'Role', 'own', { kind: 'User', name: 'bob' });
}
