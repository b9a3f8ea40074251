import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestCA, type Identity, loadTestCA } from '@annex/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectNoHarm, type HostileServer, startHostile, statusOf } from './hostile-server.ts';

let server: HostileServer;
let token = '';
beforeAll(async () => {
  server = await startHostile();
  await server.make('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  const request = { spec: { expirationSeconds: 3600 } };
  const response = await server.make(
    'POST',
    '/api/v1/namespaces/default/serviceaccounts/robot/token',
    request,
  );
  ({ token } = response.status as unknown as { token: string });
  server.secrets.add(token);
});
expectNoHarm(() => server);

interface User {
  username: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

const json = { 'Content-Type': 'application/json' };

/** Resolves to the user of a client as the server reports it, or to the text of the rejection. */
async function whoIs(as: Identity, headers: Record<string, string | string[]> = {}): Promise<User | string> {
  const response = await server.ask({
    as,
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    headers: { ...json, ...headers },
    body: '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}',
  });
  if (response.status !== 201) return `${response.status} ${statusOf(response).message}`;
  return (JSON.parse(response.text) as { status: { userInfo: User } }).status.userInfo;
}

const user: Identity = { user: 'alice', groups: ['people'] };
const robot = 'system:serviceaccount:default:robot';

/** Headers that claim the identity of the administrator. */
const claims: [name: string, headers: Record<string, string | string[]>][] = [
  ['the user header', { 'X-Remote-User': 'admin' }],
  ['the user and group headers', { 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' }],
  ['the group header alone', { 'X-Remote-Group': ['system:masters', 'system:authenticated'] }],
  ['lower-case headers', { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }],
  ['the uid header', { 'X-Remote-Uid': '0', 'X-Remote-User': 'admin' }],
  [
    'extra headers',
    { 'X-Remote-Extra-Scopes': 'all', 'X-Remote-Extra-Authentication.kubernetes.io%2Fx': 'y' },
  ],
  ['underscores', { X_Remote_User: 'admin', X_Remote_Group: 'system:masters' }],
  [
    'headers of other proxies',
    { 'X-Forwarded-User': 'admin', 'X-Forwarded-For': '127.0.0.1', Forwarded: 'for=127.0.0.1' },
  ],
  ['a cookie', { Cookie: 'user=admin' }],
];

describe.each(claims)('without the certificate of a front proxy %s is ignored', (_name, headers) => {
  it('to a client without credentials', async () => {
    expect(await whoIs('anonymous', headers)).toBe(await whoIs('anonymous'));
    expect(await whoIs('anonymous', headers)).toContain('User "system:anonymous" cannot create');
  });

  it('to a client with a certificate', async () => {
    const expected = { username: 'alice', groups: ['people', 'system:authenticated'] };
    const found = await whoIs(user, headers);
    expect(found).toMatchObject(expected);
    expect(found).toEqual({ ...(found as User), extra: expect.not.objectContaining({ scopes: ['all'] }) });
  });

  it('to a service account', async () => {
    expect(await whoIs({ token }, headers)).toMatchObject({ username: robot });
  });
});

describe('certificates', () => {
  const invalid = createTestCA('front-proxy-ca');
  const masters = ['system:masters'];

  it('the front proxy is believed', async () => {
    const found = await whoIs({ frontProxy: 'front-proxy-client', user: 'bob', groups: ['people'] });
    expect(found).toMatchObject({ username: 'bob', groups: ['people', 'system:authenticated'] });
  });

  it.each<[string, Identity]>([
    [
      'a front proxy of another CA',
      { frontProxy: 'front-proxy-client', user: 'admin', groups: masters, wrongCA: true },
    ],
    [
      'a front proxy with a name that is not allowed',
      { frontProxy: 'somebody', user: 'admin', groups: masters },
    ],
    ['a user of another CA', { user: 'admin', groups: masters, wrongCA: true }],
  ])('%s is refused', async (_name, as) => {
    expect(await whoIs(as)).toBe('401 Unauthorized');
  });

  it('a certificate of the front-proxy CA authenticates no user', async () => {
    const ca = loadTestCA(server.annex.pki, 'front-proxy-ca');
    for (const commonName of ['admin', 'front-proxy-client']) {
      const as = ca.issue({ commonName, organizations: masters });
      const { text } = await server.raw(
        'GET /api/v1/secrets HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
        { as },
      );
      expect(text).toMatch(/^HTTP\/1\.1 401 /);
    }
  });

  it.each([
    [
      'an expired one',
      { notAfter: new Date(Date.now() - 60_000), notBefore: new Date(Date.now() - 120_000) },
    ],
    ['one that is not yet valid', { notBefore: new Date(Date.now() + 3_600_000) }],
    ['one of a server', { server: true, dnsNames: ['admin'] }],
    ['one of a CA of the same name', undefined],
  ])('%s is refused', async (_name, dates) => {
    const ca = dates === undefined ? invalid : loadTestCA(server.annex.pki);
    const as = ca.issue({ commonName: 'admin', organizations: masters, ...dates });
    const { text } = await server.raw(
      'GET /api/v1/secrets HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      { as },
    );
    expect(text).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('tokens', () => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each<[string, (parts: [string, string, string]) => string]>([
    ['half a token', ([header, payload]) => `${header}.${payload}`],
    ['one without a signature', ([, payload]) => `${encode({ alg: 'none' })}.${payload}.`],
    [
      'one signed with the public key as a secret',
      ([, payload]) => {
        const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${payload}`;
        const key = readFileSync(join(server.annex.pki, 'sa.pub'), 'utf8');
        return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
      },
    ],
    [
      'one with another subject',
      ([header, payload, signature]) => {
        const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
        return `${header}.${encode({ ...claims, sub: 'system:serviceaccount:kube-system:admin' })}.${signature}`;
      },
    ],
    [
      'one with an embedded key',
      ([, payload, signature]) =>
        `${encode({ alg: 'RS256', jku: 'https://127.0.0.1:1/keys', kid: '../../sa' })}.${payload}.${signature}`,
    ],
    ['a long one', () => 'a'.repeat(40_000)],
  ])('%s is refused, and does not appear in the log', async (_name, forge) => {
    const forged = forge(token.split('.') as [string, string, string]);
    server.secrets.add(forged);
    expect(await whoIs({ token: forged })).toBe('401 Unauthorized');
  });

  it.each(['Bearer', 'Bearer ', 'Basic YWRtaW46YWRtaW4=', 'Negotiate x', `bearer\t`])(
    '%j is no token',
    async (value) => {
      expect(await whoIs('anonymous', { Authorization: value })).toMatch(
        /^(401 Unauthorized|403 .*"system:anonymous")/,
      );
    },
  );

  it('a deleted account is not authenticated', async () => {
    await server.make('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'gone' } });
    const path = '/api/v1/namespaces/default/serviceaccounts/gone';
    const response = await server.make('POST', `${path}/token`, { spec: {} });
    const { token: lost } = response.status as unknown as { token: string };
    server.secrets.add(lost);
    expect(await whoIs({ token: lost })).toMatchObject({ username: 'system:serviceaccount:default:gone' });
    await server.ask({ method: 'DELETE', path });
    expect(await whoIs({ token: lost })).toBe('401 Unauthorized');
  });
});

describe('impersonation', () => {
  it.each([
    ['a user', { 'Impersonate-User': 'admin' }],
    ['a group', { 'Impersonate-User': 'alice', 'Impersonate-Group': 'system:masters' }],
    ['a service account', { 'Impersonate-User': robot }],
    ['an extra', { 'Impersonate-User': 'alice', 'Impersonate-Extra-Scopes': 'all' }],
    ['a uid', { 'Impersonate-User': 'alice', 'Impersonate-Uid': '0' }],
  ])('of %s needs the permission', async (_name, headers) => {
    expect(await whoIs(user, headers)).toMatch(/^403 .*cannot impersonate/);
  });

  it('of an empty user is rejected, also for administrators', async () => {
    expect(await whoIs('admin', { 'Impersonate-Group': 'system:masters' })).toMatch(/^[45]\d\d /);
    expect(await whoIs('admin', { 'Impersonate-User': 'carol' })).toMatchObject({ username: 'carol' });
  });
});

describe('secrets are neither in rejections nor in the log', () => {
  const secrets = '/api/v1/namespaces/default/secrets';
  const value = 'the-value-of-a-secret-9c1f';
  const encoded = Buffer.from(value).toString('base64');

  beforeAll(() => {
    server.secrets.add(value).add(encoded);
  });

  it.each([
    ['a Secret that does not parse', `{"metadata":{"name":"s"},"stringData":{"password":"${value}"`, 400],
    ['one of an invalid type', `{"metadata":{"name":"s"},"data":{"password":["${value}"]}}`, 400],
    ['one that is not base64', `{"metadata":{"name":"s"},"data":{"password":"${value}"}}`, 400],
    ['one with a bad name', `{"metadata":{"name":"S!"},"data":{"password":"${encoded}"}}`, 422],
    ['a valid one', `{"metadata":{"name":"s"},"data":{"password":"${encoded}"}}`, 201],
    ['a present one', `{"metadata":{"name":"s"},"data":{"password":"${encoded}"}}`, 409],
  ])('%s', async (_name, body, expected) => {
    const { status, text } = await server.ask({ method: 'POST', path: secrets, headers: json, body });
    expect(status).toBe(expected);
    if (expected >= 400) expect(text).not.toContain(encoded);
  });

  it('a token in a query, in a header, in a review', async () => {
    await server.ask({ path: `/api/v1/namespaces?access_token=${token}`, headers: { 'X-Token': token } });
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
    const path = '/apis/authentication.k8s.io/v1/tokenreviews';
    const { text } = await server.ask({ method: 'POST', path, headers: json, body: JSON.stringify(review) });
    expect(JSON.parse(text)).toMatchObject({ status: { authenticated: true, user: { username: robot } } });
  });

  it('headers of a client cannot forge a log line', async () => {
    const before = server.annex.lines().length;
    const path = '/api/v1/namespaces/%0A2026-01-01T00:00:00.000Z%20E%20forged%20line=1';
    await server.ask({ path, headers: { 'Audit-ID': 'x y\tz', 'User-Agent': 'a" forged="b' } });
    await server.ask({ path: '/readyz' });
    const lines = server.annex.lines().slice(before);
    expect(lines.filter((line) => /^([\w-]+ \| )?2026-01-01/.test(line))).toEqual([]);
  });
});
