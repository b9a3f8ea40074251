import { beforeAll, describe, expect, it } from 'vitest';
import { expectNoHarm, type HostileServer, startHostile } from './hostile-server.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostile();
  const { make } = server;
  for (const name of ['a', 'b']) await make('POST', '/api/v1/namespaces', { metadata: { name } });
  for (const [namespace, name] of ['a/mine', 'a/other', 'b/theirs'].map((path) => path.split('/'))) {
    const configMap = { metadata: { name }, data: { content: `content of ${name}` } };
    await make('POST', `/api/v1/namespaces/${namespace}/configmaps`, configMap);
  }
  for (const namespace of ['a', 'b']) {
    const secret = { metadata: { name: 'hidden' }, stringData: { content: hidden } };
    await make('POST', `/api/v1/namespaces/${namespace}/secrets`, secret);
    await make('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`, role(namespace));
  }
  server.secrets.add(hidden);
  server.secrets.add(Buffer.from(hidden).toString('base64'));
  await bind('reader', 'a');
  await bind('owner', 'b');
});
expectNoHarm(() => server);

const hidden = 'what-nobody-may-see';
const reader = { user: 'reader' };
const owner = { user: 'owner' };

/** Allows to read one ConfigMap in namespace a, and everything in namespace b. */
const role = (namespace: string) => ({
  metadata: { name: 'role' },
  rules:
    namespace === 'a'
      ? [
          {
            apiGroups: [''],
            resources: ['configmaps'],
            resourceNames: ['mine'],
            verbs: ['get', 'list', 'watch'],
          },
        ]
      : [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
});

const bind = (name: string, namespace: string) =>
  server.make('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    metadata: { name: 'binding' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'role' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
  });

const mine = '/api/v1/namespaces/a/configmaps/mine';

describe('spellings of allowed paths', () => {
  it.each([
    ['unchanged', mine],
    ['a slash at the end', `${mine}/`],
    ['escaped letters', mine.replace('api', '%61p%69').replace('mine', 'min%65')],
    ['an escaped slash, which is a slash', mine.replace('/configmaps', '%2Fconfigmaps')],
    ['a query', `${mine}?pretty=false&namespace=b&name=theirs`],
  ])('%s', async (_what, path) => {
    const { status, text } = await server.ask({ as: reader, path });
    expect(status).toBe(200);
    expect(text).toContain('content of mine');
  });
});

/** Other spellings of path segments that some servers treat as equal. */
const disguises: [name: string, disguise: (path: string) => string][] = [
  ['unchanged', (path) => path],
  ['a slash at the end', (path) => `${path}/`],
  ['slashes in front', (path) => `///${path}`],
  ['slashes inside', (path) => path.replaceAll('/', '//')],
  ['a dot segment inside', (path) => path.replace(/\/(?=[^/]*$)/, '/./')],
  ['leaving the allowed path', (path) => `${mine}/../../../..${path.replace('/api/v1/namespaces', '')}`],
  ['out of the API', (path) => `/healthz/..${path}`],
  [
    'leaving the allowed path, escaped',
    (path) => `${mine}/%2e%2e/%2E%2E/%2e./..${path.replace('/api/v1/namespaces', '')}`,
  ],
  ['leaving the allowed path, with escaped slashes', (path) => `${mine}%2f..%2f..%2f..%2f..${path}`],
  ['leaving the allowed path, escaped twice', (path) => `${mine}/%252e%252e/%252e%252e${path}`],
  ['leaving the allowed path, with parameters', (path) => `${mine}/..;/..;a=b${path}`],
  ['leaving the allowed path, with backslashes', (path) => `${mine}\\..\\..${path.replaceAll('/', '\\')}`],
  ['overlong dots', (path) => `${mine}/%c0%ae%c0%ae${path}`],
  ['escaped letters', (path) => path.replace('secrets', '%73ecrets').replace('namespaces', 'name%73paces')],
  ['capitals', (path) => path.replace('secrets', 'SECRETS').replace('configmaps', 'ConfigMaps')],
  ['a NUL at the end', (path) => `${path}%00`],
  ['a NUL and the allowed path', (path) => `${path}%00${mine}`],
  ['a parameter', (path) => `${path};namespace=a`],
  ['a fragment', (path) => `${path}%23${mine}`],
  ['an escaped question mark', (path) => `${path}%3f${mine}`],
  ['a suffix', (path) => `${path}.json`],
  [
    'the allowed path as a query',
    (path) => `${path}?namespace=a&name=mine&fieldSelector=metadata.name%3Dmine`,
  ],
  ['the watch of old', (path) => path.replace('/api/v1/', '/api/v1/watch/')],
  ['the proxy of old', (path) => path.replace('/api/v1/', '/api/v1/proxy/')],
  ['another version', (path) => path.replace('/v1/', '/__internal/')],
  ['another group', (path) => path.replace('/api/v1/', '/apis/apps/v1/')],
  ['no group', (path) => path.replace('/api/v1/', '/apis//v1/')],
  ['the allowed namespace in between', (path) => path.replace('/namespaces/', '/namespaces/a/namespaces/')],
];

const targets = [
  '/api/v1/namespaces/a/configmaps/other',
  '/api/v1/namespaces/a/configmaps',
  '/api/v1/namespaces/a/secrets/hidden',
  '/api/v1/namespaces/b/configmaps/theirs',
  '/api/v1/namespaces/b/secrets',
  '/api/v1/configmaps',
  '/api/v1/secrets',
];

describe.each(disguises)('forbidden paths cannot be reached: %s', (_name, disguise) => {
  it.each(targets)('%s', async (target) => {
    const { status, text } = await server.ask({ as: reader, path: disguise(target) });
    // A list restricted to the allowed object is allowed, and contains only that object.
    if (status === 200) expect(text).toContain('content of mine');
    else expect([400, 401, 403, 404, 405]).toContain(status);
    expect(text).not.toMatch(/content of (other|theirs)|"metadata":\{"name":"hidden"/);
    expect(text).not.toContain(Buffer.from(hidden).toString('base64'));
  });
});

describe('paths that are no paths', () => {
  it.each([
    ['a lone percent', '/api/v1/namespaces/a/configmaps/%', 400],
    ['an escape that is none', '/api/v1/namespaces/a/configmaps/%zz', 400],
    ['an escape that is no UTF-8', '/api/v1/namespaces/a/configmaps/%ff', 400],
    ['a name that is a dot', '/api/v1/namespaces/a/configmaps/%2e', 400],
    ['a name with a percent', '/api/v1/namespaces/a/configmaps/%2561', 400],
    ['a name of 30000 characters', `/api/v1/namespaces/a/configmaps/${'a'.repeat(30_000)}`, 404],
    ['three thousand segments', `/api/v1${'/a'.repeat(3_000)}`, 404],
    ['a path of slashes', '/'.repeat(20_000), 404],
  ])('%s', async (_what, path, expected) => {
    expect((await server.ask({ path })).status).toBe(expected);
  });
});

describe('field selectors', () => {
  const list = (selector: string) => ({
    as: reader,
    path: `/api/v1/namespaces/a/configmaps?fieldSelector=${encodeURIComponent(selector)}`,
  });

  it('a list of the one allowed name is allowed', async () => {
    const { status, text } = await server.ask(list('metadata.name=mine'));
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ items: [{ metadata: { name: 'mine' } }] });
  });

  it.each([
    'metadata.name!=mine',
    'metadata.name!=x\\,metadata.name=mine',
    'metadata.namespace!=\\,metadata.name=mine,metadata.name!=y',
    'metadata.name=mine\\,metadata.name=other',
    'metadata.name=other',
    ' metadata.name=mine',
    'metadata.name=mine,',
    ',metadata.name=mine',
    'metadata.name==mine,metadata.name=other',
    'metadata.name=',
  ])('%s returns nothing else', async (selector) => {
    const { status, text } = await server.ask(list(selector));
    expect([200, 400, 403]).toContain(status);
    expect(text).not.toContain('content of other');
  });
});

describe('permissions in one namespace apply in no other', () => {
  it.each([
    ['GET', '/api/v1/namespaces'],
    ['GET', '/api/v1/namespaces/b/namespaces'],
    ['GET', '/api/v1/namespaces/b/namespaces/a'],
    ['DELETE', '/api/v1/namespaces/b/namespaces/a'],
    ['DELETE', '/api/v1/namespaces/b/namespaces'],
    ['DELETE', '/api/v1/namespaces/a'],
    ['GET', '/api/v1/namespaces/b/nodes'],
    ['DELETE', '/apis/rbac.authorization.k8s.io/v1/namespaces/b/clusterroles/cluster-admin'],
    ['DELETE', '/apis/apiregistration.k8s.io/v1/namespaces/b/apiservices/v1.'],
    ['DELETE', '/apis/rbac.authorization.k8s.io/v1/namespaces/b/clusterroles'],
    ['GET', '/apis/apiextensions.k8s.io/v1/namespaces/b/customresourcedefinitions'],
  ])('%s %s', async (method, path) => {
    const { status } = await server.ask({ as: owner, method, path });
    expect([403, 404, 405]).toContain(status);
    expect((await server.ask({ path: '/api/v1/namespaces/a' })).text).not.toContain('Terminating');
  });

  it('an object that names another namespace than its URL is refused', async () => {
    const body = JSON.stringify({ metadata: { name: 'x', namespace: 'a' } });
    const headers = { 'Content-Type': 'application/json' };
    const path = '/api/v1/namespaces/b/configmaps';
    expect((await server.ask({ as: owner, method: 'POST', path, headers, body })).status).toBe(400);
    const forged = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 1, start: '../a/' })).toString(
      'base64url',
    );
    const { status, text } = await server.ask({ as: owner, path: `${path}?limit=5&continue=${forged}` });
    expect([400, 410]).toContain(status);
    expect(text).not.toContain('content of mine');
  });
});
