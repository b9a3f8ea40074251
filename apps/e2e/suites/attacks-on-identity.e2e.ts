import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Identity, loadTestCA, startTokenIssuer, tempFolder, type TokenIssuer } from '@annex/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type HostileServer, startHostile, statusOf } from './hostile-server.ts';
import { patienceMs } from './patience.ts';

let server: HostileServer;
let issuer: TokenIssuer;
let stranger: TokenIssuer;
const folder = tempFolder('annex-attacks-');
const configuration = join(folder.path, 'authentication.yaml');

/** Returns a configuration with one trusted issuer that rejects names and groups of the system. */
const configurationText = () => `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
- issuer:
    url: ${issuer.url}
    audiences: [annex]
    certificateAuthority: ${JSON.stringify(issuer.ca)}
  claimMappings:
    username: { claim: sub, prefix: 'oidc:' }
    groups: { claim: groups, prefix: 'oidc:' }
    uid: { expression: "claims.?uid.orValue('')" }
anonymous: { enabled: true, conditions: [{ path: /readyz }, { path: /livez }, { path: /healthz }] }
`;

beforeAll(async () => {
  [issuer, stranger] = await Promise.all([startTokenIssuer(), startTokenIssuer()]);
  writeFileSync(configuration, configurationText());
  server = await startHostile(`--authentication-config=${configuration}`);
  const { make } = server;
  await make('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await make('POST', `${rbac}/clusterroles`, {
    metadata: { name: 'be-carol' },
    rules: [{ apiGroups: [''], resources: ['users'], resourceNames: ['carol'], verbs: ['impersonate'] }],
  });
  await make('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name: 'be-carol' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'be-carol' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
  });
  await vi.waitUntil(
    async () => typeof (await whoIs({ token: issuer.token({ sub: 'probe' }) })) === 'object',
    {
      timeout: patienceMs,
    },
  );
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await Promise.all([issuer[Symbol.asyncDispose](), stranger[Symbol.asyncDispose]()]);
  folder[Symbol.dispose]();
});
afterEach(async () => {
  expect(await server.ask({ path: '/readyz' })).toMatchObject({ status: 200, text: 'ok' });
});

interface User {
  username: string;
  groups?: string[];
}
const review = '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}';
const json = { 'Content-Type': 'application/json' };
const refused = '401 Unauthorized';

/** Resolves to the user of a client as the server reports it, or to the text of the rejection. */
async function whoIs(as: Identity, headers: Record<string, string | string[]> = {}): Promise<User | string> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const response = await server.ask({
    as,
    method: 'POST',
    path,
    headers: { ...json, ...headers },
    body: review,
  });
  if (response.status !== 201) return `${response.status} ${statusOf(response).message}`;
  return (JSON.parse(response.text) as { status: { userInfo: User } }).status.userInfo;
}

describe('names in certificates that resemble others', () => {
  const secrets = 'GET /api/v1/secrets HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  it.each<[string, string, string[]]>([
    ['the privileged group as a name', 'system:masters', []],
    ['an administrator as a name', 'admin', []],
    ['a NUL in a group', 'eve', ['system:masters\0x']],
    ['a NUL in a name', 'admin\0x', ['people']],
    ['groups in one text', 'eve', ['people,system:masters']],
    [
      'groups in one text, as LDAP writes them',
      'eve',
      ['people+O=system:masters', 'people/O=system:masters'],
    ],
    ['a line break in a group', 'eve', ['people\nO=system:masters', 'people\nsystem:masters']],
    ['spaces around a group', 'eve', [' system:masters', 'system:masters ', '\tsystem:masters']],
    ['another case', 'eve', ['System:Masters', 'SYSTEM:MASTERS']],
    ['letters of another script', 'eve', ['ѕystem:masters', 'system：masters', 'system:ma\u200bsters']],
    ['a group in a name', 'CN=eve,O=system:masters', []],
    ['a direction of writing', 'nimda\u202e', ['sretsam:metsys\u202e']],
    ['an empty name with the group', '', ['system:masters']],
  ])('%s grants no permissions', async (_name, commonName, organizations) => {
    const as = loadTestCA(server.annex.pki).issue({ commonName, organizations });
    const { text } = await server.raw(secrets, { as });
    expect(text).toMatch(/^HTTP\/1\.1 40[13] /);
  });

  it('a name in the headers of a proxy is not interpreted', async () => {
    const as = {
      frontProxy: 'front-proxy-client',
      user: 'eve',
      groups: ['people, system:masters', 'SYSTEM:MASTERS'],
    };
    const headers = { 'Impersonate-User': 'admin' };
    expect(await whoIs(as, headers)).toMatch(/^403 .*User "eve" cannot impersonate/);
  });
});

describe('tokens with confusing claims', () => {
  const token = async (spec: object) => {
    const path = '/api/v1/namespaces/default/serviceaccounts/robot/token';
    const response = await server.make('POST', path, { spec });
    return (response.status as unknown as { token: string }).token;
  };
  const ownIssuer = 'https://kubernetes.default.svc';
  const accountClaims = {
    sub: 'system:serviceaccount:default:robot',
    aud: [ownIssuer],
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot', uid: 'u' } },
  };

  it.each<[string, () => string | Promise<string>]>([
    ['a token of a service account for others', () => token({ audiences: ['vault'] })],
    ['a token of another issuer', () => stranger.token({ sub: 'bob' })],
    ['a token of another issuer that names this one', () => stranger.token({ sub: 'bob', iss: issuer.url })],
    [
      'a token of a service account that the issuer signed',
      () => issuer.token({ ...accountClaims, iss: ownIssuer }),
    ],
    [
      'one of those in Secrets',
      () =>
        issuer.token({
          iss: 'kubernetes/serviceaccount',
          'kubernetes.io/serviceaccount/namespace': 'default',
        }),
    ],
    ['a token without a signature', () => issuer.token({ sub: 'bob' }, { alg: 'none' })],
    [
      'a token signed with the public key',
      () => issuer.token({ sub: 'bob' }, { alg: 'HS256', key: issuer.publicKey }),
    ],
    [
      'one of this server signed with its public key',
      () =>
        issuer.token(
          { ...accountClaims, iss: ownIssuer },
          { alg: 'HS256', kid: null, key: readFileSync(join(server.annex.pki, 'sa.pub'), 'utf8') },
        ),
    ],
    [
      'a token with an embedded key',
      () =>
        stranger.token(
          { sub: 'bob', iss: issuer.url },
          { header: { jku: `${stranger.url}/keys`, x5u: `${stranger.url}/keys` } },
        ),
    ],
    [
      'a token whose key id is a path',
      () => stranger.token({ sub: 'bob', iss: issuer.url }, { kid: '../../../../dev/null' }),
    ],
    ['a token for another audience', () => issuer.token({ sub: 'bob', aud: 'other' })],
    ['a token that is over', () => issuer.token({ sub: 'bob', exp: 1_700_000_000 })],
    ['a token that is not yet', () => issuer.token({ sub: 'bob', nbf: 4_000_000_000 })],
    ['a token of the same issuer elsewhere', () => issuer.token({ sub: 'bob', iss: `${issuer.url}/` })],
    ['two tokens', () => `${issuer.token({ sub: 'bob' })},${issuer.token({ sub: 'bob' })}`],
  ])('%s is refused', async (_name, forge) => {
    expect(await whoIs({ token: await forge() })).toBe(refused);
  });

  it('an issuer can set only names and groups with its prefix', async () => {
    const claims = { sub: 'system:admin', groups: ['system:masters', 'people'] };
    expect(await whoIs({ token: issuer.token(claims) })).toMatchObject({
      username: 'oidc:system:admin',
      groups: ['oidc:system:masters', 'oidc:people', 'system:authenticated'],
    });
  });

  it('a token in a header of identity is a name at most', async () => {
    const secret = await token({});
    expect(await whoIs('anonymous', { 'X-Remote-User': secret })).toBe(refused);
    expect(await whoIs({ frontProxy: 'front-proxy-client', user: secret })).toMatchObject({
      username: secret,
    });
  });

  it('the certificate has priority over other credentials', async () => {
    const headers = { Authorization: `Bearer ${issuer.token({ sub: 'bob' })}` };
    expect(await whoIs({ user: 'alice' }, headers)).toMatchObject({ username: 'alice' });
  });

  it.each([
    '/api',
    '/apis',
    '/version',
    '/readyz/ping',
    '/readyz/',
    '/healthz/../api',
    '//readyz',
    '/READYZ',
    '/readyz%2f..%2fapi',
    '/api?path=/readyz',
  ])('requests without credentials are rejected at %s', async (path) => {
    expect((await server.ask({ as: 'anonymous', path })).status).toBe(401);
  });

  it('anonymous requests are allowed on configured paths', async () => {
    expect((await server.ask({ as: 'anonymous', path: '/readyz' })).status).toBe(200);
  });
});

describe('permission to impersonate one user allows nothing else', () => {
  const bob: Identity = { user: 'bob' };
  const carol = { 'Impersonate-User': 'carol' };

  it('bob may be carol', async () => {
    expect(await whoIs(bob, carol)).toMatchObject({ username: 'carol', groups: ['system:authenticated'] });
  });

  it.each<[string, Record<string, string | string[]>]>([
    ['another user', { 'Impersonate-User': 'admin' }],
    ['the privileged group', { ...carol, 'Impersonate-Group': 'system:masters' }],
    ['a group in lower case', { ...carol, 'impersonate-group': 'system:masters' }],
    ['a group among others', { ...carol, 'Impersonate-Group': ['a', 'system:masters'] }],
    ['an empty group', { ...carol, 'Impersonate-Group': '' }],
    ['the group of all users', { ...carol, 'Impersonate-Group': 'system:authenticated' }],
    ['a uid', { ...carol, 'Impersonate-Uid': '0' }],
    ['an extra', { ...carol, 'Impersonate-Extra-Scopes': 'all' }],
    ['a pod', { ...carol, 'Impersonate-Extra-Authentication.kubernetes.io%2fpod-name': 'p' }],
    ['the anonymous user', { 'Impersonate-User': 'system:anonymous' }],
    ['a service account', { 'Impersonate-User': 'system:serviceaccount:kube-system:admin' }],
    ['a node', { 'Impersonate-User': 'system:node:n1' }],
    ['a name with spaces', { 'Impersonate-User': 'carol x' }],
    ['a name in capitals', { 'Impersonate-User': 'Carol' }],
    ['the first of two users', { 'Impersonate-User': ['admin', 'carol'] }],
    ['a star', { 'Impersonate-User': '*' }],
  ])('not %s', async (_name, headers) => {
    expect(await whoIs(bob, headers)).toMatch(/^403 .*User "bob" cannot impersonate/);
  });

  it('carol has no right to become bob again', async () => {
    const twice = { 'Impersonate-User': ['carol', 'bob'] };
    expect(await whoIs(bob, twice)).toMatchObject({ username: 'carol' });
    expect(await whoIs({ user: 'carol' }, { 'Impersonate-User': 'bob' })).toMatch(/^403 /);
  });

  it('the permissions of the impersonated user apply, not those of the requester', async () => {
    const response = await server.ask({ path: '/api/v1/secrets', headers: carol });
    expect(statusOf(response).message).toMatch(/^secrets is forbidden: User "carol" cannot list/);
  });

  it('users cannot grant permissions that they do not have', async () => {
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    const binding = {
      metadata: { name: 'mine' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'carol' }],
    };
    const response = await server.ask({
      as: bob,
      method: 'POST',
      path: roles,
      headers: { ...json, ...carol },
      body: JSON.stringify(binding),
    });
    expect(response.status).toBe(403);
  });
});

describe('trusted keys and issuers change with their files', () => {
  it('an issuer that is removed from the file is no longer trusted', async () => {
    const token = issuer.token({ sub: 'late' });
    const other = stranger.token({ sub: 'late' });
    expect(await whoIs({ token })).toMatchObject({ username: 'oidc:late' });
    expect(await whoIs({ token: other })).toBe(refused);
    const text = configurationText()
      .replaceAll(issuer.url, stranger.url)
      .replaceAll(JSON.stringify(issuer.ca), JSON.stringify(stranger.ca));
    writeFileSync(configuration, text);
    await vi.waitUntil(async () => typeof (await whoIs({ token: other })) === 'object', {
      timeout: patienceMs,
    });
    expect(await whoIs({ token: issuer.token({ sub: 'later' }) })).toBe(refused);
  });
});
