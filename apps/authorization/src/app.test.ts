import { memoryDeps, serve, type Served } from '@annex/app-testkit';
import {
  alwaysAllowGroups,
  type Authenticator,
  bearerTokenAuthenticator,
  privilegedGroup,
  rbacAuthorizer,
  unionAuthenticator,
  unionAuthorizer,
} from '@annex/auth';
import { type KubeObject, parseJson } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuthorizationApp, createAuthorizationApp } from './app.ts';

let deps: ServerDeps;
let app: AuthorizationApp;
let served: Served;

/** A token contains the user's name and groups: `bob,dev`. */
const authenticator: Authenticator = unionAuthenticator([
  bearerTokenAuthenticator([
    {
      name: 'test',
      authenticateToken(token) {
        const [name = '', ...groups] = token.split(',');
        return { user: { name, groups, extra: {} }, by: 'test' };
      },
    },
  ]),
]);

beforeAll(async () => {
  deps = memoryDeps();
  const rules = rbacAuthorizer(deps.feed);
  const authorizer = unionAuthorizer([alwaysAllowGroups(privilegedGroup), rules]);
  const chain = { ...authorizer, rulesFor: rules.rulesFor };
  app = createAuthorizationApp({ ...deps, authorizer: chain, rules });
  await app.start();
  served = await serve(deps, app, { authenticator, authorizer });
});

afterAll(async () => {
  await served.stop();
  await app.stop();
  await deps.feed.close();
  await deps.store.close();
});

type Body = Record<string, unknown>;
interface Response {
  status: number;
  body: Body & { message?: string; status?: Body; metadata?: Body };
}

const send = async (as: string, method: string, path: string, body?: Body): Promise<Response> => {
  const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
  const response = await served.connect(as).send({
    method,
    path: `/apis/${path}`,
    headers,
    ...(body ? { body } : {}),
  });
  return { status: response.status, body: parseJson(response.body.toString()) as Response['body'] };
};

const admin = 'admin,system:masters';
const rbac = 'rbac.authorization.k8s.io/v1';
const create = (as: string, path: string, kind: string, name: string, rest: Body) =>
  send(as, 'POST', `${rbac}/${path}`, { apiVersion: rbac, kind, metadata: { name }, ...rest });

describe('roles and bindings', () => {
  it('sets default groups of subjects and roleRef, and keeps the roleRef of a binding', async () => {
    const bound = await create(admin, 'clusterrolebindings', 'ClusterRoleBinding', 'fill', {
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    });
    expect(bound).toMatchObject({
      status: 201,
      body: {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [
          { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' },
          { kind: 'ServiceAccount', name: 's', namespace: 'n' },
        ],
      },
    });
    const changed = await send(admin, 'PATCH', `${rbac}/clusterrolebindings/fill`, {
      roleRef: { name: 'edit' },
    });
    expect(changed.body.message).toBe(
      'ClusterRoleBinding.rbac.authorization.k8s.io "fill" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"edit"}: cannot change roleRef',
    );
  });

  const invalid: [string, string, string, Body, string][] = [
    [
      'rules without verbs',
      'clusterroles',
      'ClusterRole',
      { rules: [{ apiGroups: [''], resources: ['pods'] }] },
      'rules[0].verbs: Required value: verbs must contain at least one value',
    ],
    [
      'paths in a namespace',
      'namespaces/n/roles',
      'Role',
      { rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] },
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
    ],
    [
      'aggregation without selectors',
      'clusterroles',
      'ClusterRole',
      { aggregationRule: {}, rules: [] },
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
    [
      'a Role in a ClusterRoleBinding',
      'clusterrolebindings',
      'ClusterRoleBinding',
      { roleRef: { kind: 'Role', name: 'r' } },
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    ],
    [
      'a ServiceAccount without a namespace',
      'clusterrolebindings',
      'ClusterRoleBinding',
      { roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: [{ kind: 'ServiceAccount', name: 's' }] },
      'subjects[0].namespace: Required value',
    ],
    [
      'a subject of an unknown kind',
      'namespaces/n/rolebindings',
      'RoleBinding',
      { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'Team', name: 't' }] },
      'subjects[0].kind: Unsupported value: "Team": supported values: "ServiceAccount", "User", "Group"',
    ],
  ];
  it.each(invalid)('are refused with %s', async (_, path, kind, rest, expected) => {
    const { status, body } = await create(admin, path, kind, 'bad', rest);
    expect([status, body.message]).toEqual([
      422,
      `${kind}.${rbac.split('/')[0]} "bad" is invalid: ${expected}`,
    ]);
  });
});

describe('permissions that the user does not have', () => {
  const held = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };
  const beyond = { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] };
  const error =
    'user "esc" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:';
  const ref = (name: string) => ({
    roleRef: { kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name: 'x' }],
  });

  beforeAll(async () => {
    const manage = {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['*'],
      verbs: ['create', 'update', 'patch'],
    };
    await create(admin, 'clusterroles', 'ClusterRole', 'esc', { rules: [manage, held] });
    await create(admin, 'clusterrolebindings', 'ClusterRoleBinding', 'esc', {
      roleRef: { kind: 'ClusterRole', name: 'esc' },
      subjects: [{ kind: 'User', name: 'esc' }],
    });
    await create(admin, 'clusterroles', 'ClusterRole', 'esc-big', { rules: [beyond] });
    await create(admin, 'clusterroles', 'ClusterRole', 'esc-small', { rules: [held] });
  });

  it('cannot be written into a role', async () => {
    expect((await create('esc', 'clusterroles', 'ClusterRole', 'own', { rules: [held] })).status).toBe(201);
    const refused = await create('esc', 'clusterroles', 'ClusterRole', 'more', { rules: [held, beyond] });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `clusterroles.rbac.authorization.k8s.io "more" is forbidden: ${error}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}`,
    ]);
    const labelled = await send('esc', 'PATCH', `${rbac}/clusterroles/esc-big`, {
      metadata: { labels: { a: 'b' } },
    });
    expect(labelled.status).toBe(403);
  });

  it('cannot be granted by aggregation', async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { esc: 'x' } }] };
    const refused = await create('esc', 'clusterroles', 'ClusterRole', 'gathers', {
      rules: [],
      aggregationRule,
    });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'clusterroles.rbac.authorization.k8s.io "gathers" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    ]);
    await create(admin, 'clusterroles', 'ClusterRole', 'gathers', { rules: [], aggregationRule });
    const ended = await send('esc', 'PATCH', `${rbac}/clusterroles/gathers`, { aggregationRule: null });
    expect(ended.status).toBe(403);
  });

  it('are rejected before other errors', async () => {
    const refused = await create('esc', 'clusterroles', 'ClusterRole', 'both', { rules: [beyond, {}] });
    expect(refused.status).toBe(403);
  });

  it('cannot be bound, unless the user may bind that role', async () => {
    expect(
      (await create('esc', 'clusterrolebindings', 'ClusterRoleBinding', 'small', ref('esc-small'))).status,
    ).toBe(201);
    expect(
      (await create('esc', 'clusterrolebindings', 'ClusterRoleBinding', 'big', ref('esc-big'))).status,
    ).toBe(403);
    const missing = await create('esc', 'namespaces/n/rolebindings', 'RoleBinding', 'none', ref('esc-none'));
    expect([missing.status, missing.body.message]).toEqual([
      404,
      'rolebindings.rbac.authorization.k8s.io "esc-none" not found',
    ]);
    const may = {
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
      resourceNames: ['esc-big'],
      verbs: ['bind', 'escalate'],
    };
    await create(admin, 'clusterroles', 'ClusterRole', 'esc-may', { rules: [may] });
    await create(admin, 'clusterrolebindings', 'ClusterRoleBinding', 'esc-may', {
      roleRef: { kind: 'ClusterRole', name: 'esc-may' },
      subjects: [{ kind: 'User', name: 'esc' }],
    });
    expect(
      (await create('esc', 'clusterrolebindings', 'ClusterRoleBinding', 'big', ref('esc-big'))).status,
    ).toBe(201);
    const escalated = await send('esc', 'PATCH', `${rbac}/clusterroles/esc-big`, {
      metadata: { labels: { a: 'b' } },
    });
    expect(escalated.status).toBe(200);
  });
});

describe('access reviews', () => {
  const review = (as: string, path: string, kind: string, spec: Body, metadata: Body = {}) =>
    send(as, 'POST', `authorization.k8s.io/v1/${path}`, {
      apiVersion: 'authorization.k8s.io/v1',
      kind,
      metadata,
      spec,
    });
  const discovery = { nonResourceAttributes: { path: '/apis', verb: 'get' } };

  it('report whether a user is allowed, and the reason', async () => {
    const { status, body } = await review(admin, 'subjectaccessreviews', 'SubjectAccessReview', {
      groups: ['system:authenticated'],
      ...discovery,
    });
    expect([status, body.status]).toEqual([
      201,
      {
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
      },
    ]);
    expect(
      (await review('eve', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', discovery)).body.status,
    ).toMatchObject({ allowed: true });
    const local = { user: 'eve', resourceAttributes: { namespace: 'n', verb: 'get', resource: 'pods' } };
    const path = 'namespaces/n/localsubjectaccessreviews';
    expect((await review(admin, path, 'LocalSubjectAccessReview', local)).body.status).toEqual({
      allowed: false,
    });
  });

  it('report that a selector was ignored', async () => {
    const resourceAttributes = { verb: 'list', resource: 'pods', labelSelector: { rawSelector: 'a in (' } };
    const { body } = await review('eve', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', {
      resourceAttributes,
    });
    expect(body.status).toEqual({
      allowed: false,
      evaluationError: 'spec.resourceAttributes.labelSelector ignored due to parse error',
    });
  });

  it('with long selectors have the errors of all of their requirements', async () => {
    const requirements = Array.from({ length: 1200 }, (_, i) => ({
      key: `k${i}`,
      operator: 'In',
      values: i === 1100 ? ['a', 'b c'] : ['a'],
    }));
    const values = Array.from({ length: 1200 }, (_, i) => (i === 700 ? '-' : `v${i}`));
    const messageOf = async (labelSelector: object) => {
      const spec = { resourceAttributes: { verb: 'list', resource: 'pods', labelSelector } };
      const { status, body } = await review(
        'eve',
        'selfsubjectaccessreviews',
        'SelfSubjectAccessReview',
        spec,
      );
      return [status, /requirements\S+ Invalid value: "[^"]+"/.exec(String(body.message))?.[0]];
    };
    expect(await messageOf({ requirements })).toEqual([
      422,
      'requirements[1100].values[1]: Invalid value: "b c"',
    ]);
    expect(await messageOf({ requirements: [{ key: 'a', operator: 'In', values }] })).toEqual([
      422,
      'requirements[0].values[700]: Invalid value: "-"',
    ]);
    expect(await messageOf({ requirements: requirements.slice(0, 1100) })).toEqual([201, undefined]);
  });

  it('list the rules of a user', async () => {
    const { body } = await review('eve', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', {
      namespace: 'default',
    });
    expect(body).toMatchObject({
      spec: {},
      status: {
        incomplete: false,
        resourceRules: expect.arrayContaining([
          { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
        ]),
      },
    });
  });

  const refused: [string, string, string, Body, Body, string][] = [
    [
      'no attributes',
      'subjectaccessreviews',
      'SubjectAccessReview',
      { user: 'u' },
      {},
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'no user and no group',
      'subjectaccessreviews',
      'SubjectAccessReview',
      discovery,
      {},
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
    [
      'another namespace',
      'namespaces/n/localsubjectaccessreviews',
      'LocalSubjectAccessReview',
      { user: 'u', resourceAttributes: { namespace: 'm' } },
      {},
      'spec.resourceAttributes.namespace: Invalid value: "m": must match metadata.namespace',
    ],
    [
      'an empty selector',
      'selfsubjectaccessreviews',
      'SelfSubjectAccessReview',
      { resourceAttributes: { fieldSelector: {} } },
      {},
      'spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required',
    ],
  ];
  it.each(refused)('are rejected with %s', async (_, path, kind, spec, metadata, expected) => {
    const { status, body } = await review(admin, path, kind, spec, metadata);
    expect([status, body.message]).toEqual([422, `.authorization.k8s.io "" is invalid: ${expected}`]);
  });

  it('are rejected with metadata, which is quoted with its managed fields', async () => {
    const metadata = { labels: { a: 'b' } };
    const { body } = await review(
      admin,
      'selfsubjectaccessreviews',
      'SelfSubjectAccessReview',
      discovery,
      metadata,
    );
    const quoted = /metadata: Invalid value: (.*): must be empty$/.exec(body.message as string)?.[1] ?? '';
    expect(JSON.parse(quoted)).toMatchObject({
      labels: { a: 'b' },
      managedFields: [
        { operation: 'Update', fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } } },
      ],
    });
  });

  it('quote managed fields: of each shape at once, and of each manager separately', async () => {
    const managed = async (user: string) => {
      const spec = { user, nonResourceAttributes: { verb: 'get', path: '/a' } };
      const { body } = await review(admin, 'subjectaccessreviews', 'SubjectAccessReview', spec);
      return (body as unknown as KubeObject).metadata.managedFields;
    };
    const first = await managed('ann');
    expect(first).toMatchObject([
      {
        fieldsV1: {
          'f:spec': { 'f:user': {}, 'f:nonResourceAttributes': { '.': {}, 'f:path': {}, 'f:verb': {} } },
        },
      },
    ]);
    expect((await managed('bob'))?.[0]?.fieldsV1).toEqual(first?.[0]?.fieldsV1);
  });

  it('AGG-030 are not allowed for every user', async () => {
    const { status } = await review('eve', 'subjectaccessreviews', 'SubjectAccessReview', {
      user: 'u',
      ...discovery,
    });
    expect(status).toBe(403);
  });
});
