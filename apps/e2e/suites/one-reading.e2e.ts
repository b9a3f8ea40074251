import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileServer, startHostile } from './hostile-server.ts';
import { type SpyExtension, spyRoot, startSpy } from './spy-extension.ts';

let server: HostileServer;
let spy: SpyExtension;

const things = `${spyRoot}/things`;
const configMaps = '/api/v1/namespaces/default/configmaps';
const alice = { user: 'alice' };

beforeAll(async () => {
  server = await startHostile();
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await server.make('POST', `${rbac}/clusterroles`, {
    metadata: { name: 'one-name' },
    rules: [
      {
        apiGroups: ['', 'spy.example.com'],
        resources: ['configmaps', 'things'],
        resourceNames: ['allowed'],
        verbs: ['list', 'watch'],
      },
    ],
  });
  await server.make('POST', `${rbac}/clusterrolebindings`, {
    metadata: { name: 'one-name' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'one-name' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  });
  for (const name of ['allowed', 'other']) await server.make('POST', configMaps, { metadata: { name } });
  spy = await startSpy(server);
});
afterAll(async () => {
  await spy[Symbol.asyncDispose]();
  const leaks = server.leaks();
  await server[Symbol.asyncDispose]();
  expect(leaks).toEqual([]);
});

interface Requested {
  verb: string;
  name?: string;
  resource?: string;
  subresource?: string;
  path?: string;
}

/** Resolves to the attributes of the administrator's request, and the request that the extension server received. */
async function readings(
  path: string,
  method = 'GET',
): Promise<{ requested: Requested; forwarded: string | undefined }> {
  const auditId = randomUUID();
  spy.seen();
  await server.ask({ method, path, headers: { 'Audit-ID': auditId } });
  const [seen] = spy.seen();
  const { text } = await server.ask({ path: `/annex/traces/${auditId}` });
  const { traces } = JSON.parse(text) as { traces: { authorization: { requested: Requested } }[] };
  return { requested: traces[0]?.authorization.requested as Requested, forwarded: seen?.url };
}

const is = 'fieldSelector=metadata.name%3Dallowed';
const both = ['allowed', 'other'];

/** The query, the authorized name, the listed ones of two ConfigMaps (or the rejection), and the forwarded query. */
type Row = [query: string, name: string, listed: string[] | 400, forwarded: string];
const unread = (query: string, forwarded = ''): Row => [query, '', both, forwarded];
const refused = (query: string, forwarded: string): Row => [query, '', 400, forwarded];

const queries: Row[] = [
  [is, 'allowed', ['allowed'], is],
  ['fieldSelector=metadata.name=allowed', 'allowed', ['allowed'], is],
  [
    'fieldSelector=metadata%2Ename%3D%3Dallowed',
    'allowed',
    ['allowed'],
    'fieldSelector=metadata.name%3D%3Dallowed',
  ],
  [`%66ieldSelector=metadata.name%3Dallowed`, 'allowed', ['allowed'], is],
  [`&&&${is}&&`, 'allowed', ['allowed'], is],
  // No part of Annex reads pairs that Go does not read.
  unread(`?${is}`, `%3F${is}`),
  unread(`??${is}`, `%3F%3F${is}`),
  unread(`${is},metadata.name!%3D%zz`),
  unread(`${is},metadata.name!%3Da;b`),
  unread(`${is};`),
  unread(`;${is}`),
  unread(`${is}%`),
  unread(`${is}%4`),
  unread(`${is}%u0041`),
  unread(`${is}&${'a&'.repeat(10_000)}`),
  [`a;b&%&${is}`, 'allowed', ['allowed'], is],
  [`${is}&labelSelector=%zz`, 'allowed', ['allowed'], is],
  // Parameter names are case-sensitive.
  unread(`FieldSelector=metadata.name%3Dallowed`, 'FieldSelector=metadata.name%3Dallowed'),
  unread(`fieldselector=metadata.name%3Dallowed`, 'fieldselector=metadata.name%3Dallowed'),
  unread(`fieldSelector%20=metadata.name%3Dallowed`, 'fieldSelector+=metadata.name%3Dallowed'),
  unread(`+${is}`, `+${is}`),
  unread(`fieldSelector[]=metadata.name%3Dallowed`, 'fieldSelector%5B%5D=metadata.name%3Dallowed'),
  unread(`fieldSelector%00=metadata.name%3Dallowed`, 'fieldSelector%00=metadata.name%3Dallowed'),
  unread(`metadata.name=allowed&name=allowed`, 'metadata.name=allowed&name=allowed'),
  // The first of several values applies.
  [
    `${is}&fieldSelector=metadata.name%3Dother`,
    'allowed',
    ['allowed'],
    `${is}&fieldSelector=metadata.name%3Dother`,
  ],
  [
    `fieldSelector=metadata.name%3Dother&${is}`,
    'other',
    ['other'],
    `fieldSelector=metadata.name%3Dother&${is}`,
  ],
  unread(`fieldSelector&${is}`, `fieldSelector=&${is}`),
  unread(`fieldSelector=&${is}`, `fieldSelector=&${is}`),
  // The meaning of selectors.
  [`${is},metadata.name%3Dother`, 'allowed', [], `${is}%2Cmetadata.name%3Dother`],
  [
    `fieldSelector=metadata.name%3Dother,metadata.name%3Dallowed`,
    'allowed',
    [],
    'fieldSelector=metadata.name%3Dother%2Cmetadata.name%3Dallowed',
  ],
  [`${is},metadata.name!%3Dallowed`, 'allowed', [], `${is}%2Cmetadata.name%21%3Dallowed`],
  [`${is},`, 'allowed', ['allowed'], `${is}%2C`],
  [
    `fieldSelector=,metadata.name%3Dallowed`,
    'allowed',
    ['allowed'],
    'fieldSelector=%2Cmetadata.name%3Dallowed',
  ],
  [`fieldSelector=metadata.name!%3Dallowed`, '', ['other'], 'fieldSelector=metadata.name%21%3Dallowed'],
  [`${is}%5C,b`, 'allowed,b', [], `${is}%5C%2Cb`],
  [`${is}+`, 'allowed ', [], `${is}+`],
  [`${is}#`, 'allowed#', [], `${is}%23`],
  [`${is}%00`, 'allowed\0', [], `${is}%00`],
  [`${is}%0A`, 'allowed\n', [], `${is}%0A`],
  [`${is}%ff`, 'allowed\udcff', [], `${is}%FF`],
  [`${is}%EF%BF%BD`, 'allowed\ufffd', [], `${is}%EF%BF%BD`],
  [`${is},x%3Dy`, 'allowed', 400, `${is}%2Cx%3Dy`],
  refused(`fieldSelector=metadata.name%3D%3D%3Dallowed`, 'fieldSelector=metadata.name%3D%3D%3Dallowed'),
  refused(`${is}%5C`, `${is}%5C`),
  refused(`${is}%5C,metadata.name%3Dother`, `${is}%5C%2Cmetadata.name%3Dother`),
  refused(`${is}%26limit%3D0`, `${is}%26limit%3D0`),
  refused(`fieldSelector=metadata.name%EF%BC%9Dallowed`, 'fieldSelector=metadata.name%EF%BC%9Dallowed'),
  refused(`fieldSelector=+metadata.name%3Dallowed`, 'fieldSelector=+metadata.name%3Dallowed'),
  refused(`fieldSelector=Metadata.name%3Dallowed`, 'fieldSelector=Metadata.name%3Dallowed'),
  // Invalid names are not authorized as names.
  [`fieldSelector=metadata.name%3D..`, '', [], 'fieldSelector=metadata.name%3D..'],
  [`fieldSelector=metadata.name%3Dallowed%2Fb`, '', [], 'fieldSelector=metadata.name%3Dallowed%2Fb'],
  [`fieldSelector=metadata.name%3D%2561llowed`, '', [], 'fieldSelector=metadata.name%3D%2561llowed'],
  // If an option is invalid, the name is not authorized.
  refused(`${is}&limit=x`, `${is}&limit=x`),
  refused(`${is}&timeoutSeconds=`, `${is}&timeoutSeconds=`),
  refused(`${is}&labelSelector=(`, `${is}&labelSelector=%28`),
  [`${is}&limit=x;`, 'allowed', ['allowed'], is],
  [
    `__proto__=1&name=other&namespace=b&${is}`,
    'allowed',
    ['allowed'],
    `__proto__=1&${is}&name=other&namespace=b`,
  ],
];

describe('authorization, handlers and extension servers read the same query', () => {
  it.each(queries)('%s', async (query, name, listed, forwarded) => {
    const { requested, forwarded: url } = await readings(`${things}?${query}`);
    expect({ name: requested.name ?? '', url }).toEqual({
      name,
      url: forwarded === '' ? things : `${things}?${forwarded}`,
    });

    const list = await server.ask({ path: `${configMaps}?${query}` });
    const shown =
      list.status === 200 ? names(list.text).filter((shown) => both.includes(shown)) : list.status;
    expect(shown).toEqual(listed);

    const expected = name === 'allowed' ? 200 : 403;
    expect((await server.ask({ as: alice, path: `${things}?${query}` })).status).toBe(expected);
    const hers = await server.ask({ as: alice, path: `${configMaps}?${query}` });
    expect(hers.status).toBe(expected === 403 ? 403 : list.status);
    if (hers.status === 200) expect(names(hers.text)).toEqual(listed);
  });

  const names = (text: string) =>
    (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items.map(
      ({ metadata }) => metadata.name,
    );
});

describe('every part of Annex recognizes the same watches', () => {
  it.each([
    ['watch', 'watch', 'watch='],
    ['watch=', 'watch', 'watch='],
    ['watch=1', 'watch', 'watch=1'],
    ['watch=True', 'watch', 'watch=True'],
    ['watch=no', 'watch', 'watch=no'],
    ['watch=00', 'watch', 'watch=00'],
    ['watch=true&watch=false', 'watch', 'watch=true&watch=false'],
    ['limit=x&watch=1', 'watch', 'limit=x&watch=1'],
    ['watch=false&watch=true', 'list', 'watch=false&watch=true'],
    ['watch=FALSE', 'list', 'watch=FALSE'],
    ['watch=0', 'list', 'watch=0'],
    ['watch=fal%C5%BFe', 'list', 'watch=fal%C5%BFe'],
    ['Watch=1', 'list', 'Watch=1'],
    ['?watch=1', 'list', '%3Fwatch=1'],
    ['watch=1;', 'list', ''],
    ['watch=%zz', 'list', ''],
  ])('%s', async (query, verb, forwarded) => {
    const { requested, forwarded: url } = await readings(`${things}?${query}`);
    expect([requested.verb, url]).toEqual([verb, forwarded === '' ? things : `${things}?${forwarded}`]);
  });

  it('the deletion of a collection is authorized without a name', async () => {
    expect(await readings(`${things}?${is}`, 'DELETE')).toMatchObject({
      requested: { verb: 'deletecollection', resource: 'things' },
      forwarded: `${things}?${is}`,
    });
  });
});

describe('authorization and extension servers read the same path', () => {
  it.each([
    ['a name', '/a', { name: 'a' }, '/a'],
    ['an escaped slash', '/a%2Fb', { name: 'a', subresource: 'b' }, '/a/b'],
    ['an escaped percent sign', '/%252F', { name: '%2F' }, '/%252F'],
    ['dots', '/../x', { name: '..', subresource: 'x' }, '/../x'],
    ['escaped dots', '/%2e%2E/x', { name: '..', subresource: 'x' }, '/../x'],
    ['slashes', '//x', { subresource: 'x' }, '//x'],
    ['a parameter', '/a;b=c', { name: 'a;b=c' }, '/a;b=c'],
    ['a fragment', '/a#b', { name: 'a#b' }, '/a%23b'],
    [
      'an escaped question mark',
      `/a%3F${is}`,
      { name: 'a?fieldSelector=metadata.name=allowed' },
      '/a%3FfieldSelector=metadata.name=allowed',
    ],
    ['a NUL', '/a%00b', { name: 'a\0b' }, '/a%00b'],
    ['a back slash', '/a\\b', { name: 'a\\b' }, '/a%5Cb'],
    ['text of any script', '/%C3%A9', { name: 'é' }, '/%C3%A9'],
    ['what Go escapes', "/a(b)'*!", { name: "a(b)'*!" }, '/a%28b%29%27%2A%21'],
    ['a plus', '/a+b', { name: 'a+b' }, '/a+b'],
  ])('%s', async (_what, path, expected, forwarded) => {
    const { requested, forwarded: url } = await readings(things + path);
    const { name, subresource } = requested;
    expect({ ...(name ? { name } : {}), ...(subresource ? { subresource } : {}), url }).toEqual({
      ...expected,
      url: things + forwarded,
    });
  });

  it.each([
    ['a whole URL', Buffer.from(`https://other.example:1${things}/a?b`), `${things}/a?b=`],
    ['a whole URL of another scheme', Buffer.from(`ftp://u:p@other.example${things}/a`), `${things}/a`],
    ['a URL without a host', Buffer.from(`http:${things}/a`), undefined],
    ['bytes beyond ASCII', Buffer.from(`${things}/é`), undefined],
    ['a host with a hash', Buffer.from(`https://other.example#${things}`), undefined],
    ['a port that is none', Buffer.from(`https://other.example:b${things}`), undefined],
    ['the whole server', Buffer.from('*'), undefined],
  ])('%s in a request line', async (_what, target, forwarded) => {
    spy.seen();
    const line = [
      Buffer.from('GET '),
      target,
      Buffer.from(' HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
    ];
    const { statuses } = await server.raw(Buffer.concat(line));
    expect(spy.seen().map(({ url }) => url)).toEqual(forwarded === undefined ? [] : [forwarded]);
    expect(statuses[0]).toBe(forwarded !== undefined ? 200 : target.toString() === '*' ? 404 : 400);
  });
});

describe('a bearer token that a browser sends as a protocol', () => {
  const prefix = 'base64url.bearer.authorization.k8s.io.';
  const secret = 'token-that-nobody-may-see';
  const encoded = Buffer.from(secret).toString('base64url');
  const upgrade = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  let token = '';

  beforeAll(async () => {
    server.secrets.add(secret).add(encoded);
    await server.make('POST', '/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'browser' },
    });
    await server.make('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'browser' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'browser', namespace: 'default' }],
    });
    const path = '/api/v1/namespaces/default/serviceaccounts/browser/token';
    const request = await server.make('POST', path, { spec: {} });
    token = (request.status as unknown as { token: string }).token;
    server.secrets.add(token).add(Buffer.from(token).toString('base64url'));
  });

  const send = async (
    as: 'anonymous' | 'admin',
    protocols: string,
    headers: Record<string, string> = upgrade,
  ) => {
    spy.seen();
    const { status } = await server.ask({
      as,
      path: things,
      headers: { ...headers, 'Sec-WebSocket-Protocol': protocols },
    });
    const seen = spy.seen();
    expect(JSON.stringify(seen.map((one) => [...one.headers, one.url]))).not.toMatch(/base64url\.bearer/);
    const [{ headers: got } = { headers: new Map<string, readonly string[]>() }] = seen;
    return { status, user: got.get('x-remote-user')?.[0], protocols: got.get('sec-websocket-protocol') };
  };
  const own = () => prefix + Buffer.from(token).toString('base64url');

  it('authenticates the client, and is not forwarded', async () => {
    expect(await send('anonymous', `v4.channel.k8s.io, ${own()}, v5.channel.k8s.io`)).toMatchObject({
      user: 'system:serviceaccount:default:browser',
      protocols: ['v4.channel.k8s.io,v5.channel.k8s.io'],
    });
  });

  it.each([
    ['without another protocol', () => own()],
    ['with a second one', () => `${own()},${own()},v4`],
    ['with padding', () => `${own()}=,v4`],
    ['that is no base64', () => `${prefix}%41,v4`],
    ['that is not valid', () => `${prefix}${encoded},v4`],
  ])('is refused %s', async (_what, protocols) => {
    expect(await send('anonymous', protocols())).toEqual({
      status: 401,
      user: undefined,
      protocols: undefined,
    });
  });

  it.each([
    ['with a client certificate', 'admin', upgrade, 'admin'],
    ['without an upgrade', 'admin', {}, 'admin'],
    ['with another upgrade', 'admin', { ...upgrade, Upgrade: 'SPDY/3.1' }, 'admin'],
    ['with a similar token in Connection', 'admin', { ...upgrade, Connection: 'x-upgrade' }, 'admin'],
  ] as const)('is not forwarded %s', async (_what, as, headers, user) => {
    expect(await send(as, `${prefix}${encoded},v4`, { ...headers })).toMatchObject({
      user,
      protocols: ['v4'],
    });
    expect(await send(as, `${prefix}${encoded}`, { ...headers })).toMatchObject({
      user,
      protocols: undefined,
    });
  });

  it('is ignored without an upgrade', async () => {
    expect((await send('anonymous', `${own()},v4`, {})).status).toBe(403);
    expect((await send('anonymous', `${own()},v4`, { Upgrade: 'websocket' })).status).toBe(403);
  });

  it('is in no trace', async () => {
    const { text } = await server.ask({ path: '/annex/traces?full=true' });
    for (const one of [secret, encoded, token, own()]) expect(text).not.toContain(one);
  });
});
