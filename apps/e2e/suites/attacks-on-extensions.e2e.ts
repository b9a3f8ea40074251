import { connect as connectHttp2, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HostileServer, startHostile } from './hostile-server.ts';
import { grantSpying, type Seen, type SpyExtension, spyRoot, startSpy } from './spy-extension.ts';

let server: HostileServer;
let spy: SpyExtension;

beforeAll(async () => {
  server = await startHostile();
  await grantSpying(server);
  spy = await startSpy(server);
});
afterAll(async () => {
  await spy[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});
afterEach(async () => {
  expect(await server.ask({ path: '/readyz' })).toMatchObject({ status: 200, text: 'ok' });
});

const alice = { user: 'alice', groups: ['people'] };
const things = `${spyRoot}/things`;

/** Returns the identity headers of a request. */
const identityOf = ({ headers }: Seen): Record<string, readonly string[]> =>
  Object.fromEntries(
    [...headers].filter(([name]) => /^(x[-_]remote|impersonate|authorization|x-forwarded-user)/.test(name)),
  );

/** The identity of Alice, as every extension server must receive it. */
const isAlice = {
  'x-remote-user': ['alice'],
  'x-remote-group': ['people', 'system:authenticated'],
  'x-remote-extra-authentication.kubernetes.io%2fcredential-id': [expect.stringMatching(/^X509SHA256=/)],
};

const forged: [name: string, headers: Record<string, string | string[]>][] = [
  ['nothing forged', {}],
  ['a user', { 'X-Remote-User': 'admin' }],
  [
    'the hop-by-hop list naming the length and the address',
    { Connection: 'content-length, x-forwarded-for, audit-id, te', TE: 'trailers' },
  ],
  ['several users', { 'X-Remote-User': ['admin', 'root'] }],
  ['a user in lower case', { 'x-remote-user': 'admin' }],
  ['a user in capitals', { 'X-REMOTE-USER': 'admin', 'X-REMOTE-GROUP': 'system:masters' }],
  ['groups', { 'X-Remote-Group': ['system:masters', 'other'] }],
  ['a uid', { 'X-Remote-Uid': '0' }],
  ['extras', { 'X-Remote-Extra-Scopes': 'all', 'x-remote-extra-a%2fb': 'c', 'X-Remote-Extra-': 'd' }],
  ['the hop-by-hop list naming the user', { Connection: 'keep-alive, X-Remote-User, X-Remote-Group' }],
  [
    'the hop-by-hop list naming all',
    { Connection: 'x-remote-user, x-remote-group, x-remote-uid, x-remote-extra-scopes, host, authorization' },
  ],
  [
    'a forged user in the hop-by-hop list',
    { Connection: 'X-Remote-User', 'X-Remote-User': 'admin', 'X-Remote-Group': 'system:masters' },
  ],
];

describe('only the front proxy sets the identity headers for an extension server, over HTTP/1.1', () => {
  it.each(forged)('%s', async (_name, headers) => {
    spy.seen();
    const { status } = await server.ask({ as: alice, path: things, headers });
    expect(status).toBe(200);
    expect(spy.seen().map(identityOf)).toEqual([isAlice]);
  });

  it('the response names the flow that was limited', async () => {
    const { headers } = await server.ask({ as: alice, path: things });
    const uid = expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(headers).toMatchObject({
      'x-kubernetes-pf-flowschema-uid': uid,
      'x-kubernetes-pf-prioritylevel-uid': uid,
    });
  });

  it('trailers are no headers', async () => {
    spy.seen();
    const trailers = 'X-Remote-User: admin\r\nX-Remote-Group: system:masters\r\nAuthorization: Bearer x\r\n';
    const head = `POST ${things} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    await server.raw(
      `${head}Trailer: X-Remote-User, X-Remote-Group\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n${trailers}\r\n`,
      { as: server.credential('alice', 'people') },
    );
    const [seen, ...more] = spy.seen();
    expect(more).toEqual([]);
    expect(identityOf(seen as Seen)).toEqual(isAlice);
    expect(seen?.trailers.filter((text) => /remote|authorization|admin/i.test(text))).toEqual([]);
  });

  it.each([
    ['a token', { Authorization: 'Bearer x' }, 401],
    ['another user', { 'Impersonate-User': 'admin' }, 403],
    ['a group', { 'Impersonate-User': 'alice', 'Impersonate-Group': 'system:masters' }, 403],
  ])('%s that is rejected is not forwarded', async (_name, headers, expected) => {
    spy.seen();
    const as = 'Authorization' in headers ? 'anonymous' : alice;
    expect((await server.ask({ as, path: things, headers })).status).toBe(expected);
    expect(spy.seen()).toEqual([]);
  });

  it('an impersonated user arrives without a word about it', async () => {
    spy.seen();
    const headers = { 'Impersonate-User': 'alice', 'Impersonate-Group': 'people', 'X-Remote-Group': 'other' };
    await server.ask({ path: things, headers });
    expect(spy.seen().map(identityOf)).toEqual([
      { 'x-remote-user': ['alice'], 'x-remote-group': ['people', 'system:authenticated'] },
    ]);
  });

  it('a token of a service account stays here', async () => {
    await server.make('POST', '/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'automaton' },
    });
    await server.make('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'spying-automaton' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'spying' },
      subjects: [{ kind: 'ServiceAccount', name: 'automaton', namespace: 'default' }],
    });
    const path = '/api/v1/namespaces/default/serviceaccounts/automaton/token';
    const { token } = (await server.make('POST', path, { spec: {} })).status as unknown as { token: string };
    spy.seen();
    expect(
      (await server.ask({ as: { token }, path: things, headers: { 'X-Remote-User': 'admin' } })).status,
    ).toBe(200);
    const [seen] = spy.seen();
    expect(seen?.headers.get('x-remote-user')).toEqual(['system:serviceaccount:default:automaton']);
    expect(JSON.stringify([...(seen?.headers ?? [])])).not.toContain(token);
  });

  it.each([
    ['a line break', 'alice\nX-Remote-Group: system:masters'],
    ['a whole line', 'alice\r\nX-Remote-Group: system:masters\r\n'],
    ['a NUL', 'alice\0'],
  ])('a name with %s brings no header with it', async (_name, commonName) => {
    spy.seen();
    const head = `GET ${things} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
    await server.raw(head, { as: server.credential(commonName, 'people') });
    expect(spy.seen()).toEqual([]);
  });
});

describe('over HTTP/2', () => {
  let session: ClientHttp2Session;
  beforeAll(() => {
    const { certificate: cert, key } = server.credential('alice', 'people');
    session = connectHttp2(server.annex.url, { cert, key, rejectUnauthorized: false });
  });
  afterAll(() => session.destroy());

  const ask = (headers: OutgoingHttpHeaders): Promise<number> =>
    new Promise((resolve, reject) => {
      const stream = session.request({ ':path': things, ...headers });
      stream.on('response', ({ ':status': status = 0 }) => resolve(status)).on('error', reject);
      stream.resume();
    });

  // Node's client rejects headers that HTTP/2 forbids; the suite of frames sends them.
  it.each(forged.filter(([, headers]) => !('Connection' in headers)))('%s', async (_name, headers) => {
    spy.seen();
    expect(await ask(headers)).toBe(200);
    expect(spy.seen().map(identityOf)).toEqual([isAlice]);
  });

  it.each([
    ['the :authority', { ':authority': 'admin@other.example' }],
    ['the scheme', { ':scheme': 'http' }],
    ['a host in addition to it', { host: 'other.example' }],
  ])('%s does not lead elsewhere', async (_name, headers) => {
    spy.seen();
    expect([200, 400, 421]).toContain(await ask(headers).catch(() => 400));
    for (const seen of spy.seen()) expect(identityOf(seen)).toEqual(isAlice);
  });
});

/** Requests that must never reach the extension server. */
const smuggled =
  'GET /smuggled HTTP/1.1\r\nHost: a\r\nX-Remote-User: admin\r\nX-Remote-Group: system:masters\r\n\r\n';

describe('no second request is smuggled to an extension server', () => {
  const post = (...headers: string[]) =>
    [`POST ${things} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', ...headers, '', ''].join('\r\n');
  const chunked = `2\r\n{}\r\n0\r\n\r\n`;
  it.each([
    [
      'a length before chunks',
      post('Content-Length: 6', 'Transfer-Encoding: chunked') + `0\r\n\r\n${smuggled}`,
    ],
    ['chunks before a length', post('Transfer-Encoding: chunked', 'Content-Length: 4') + chunked + smuggled],
    [
      'a length that Connection names',
      post('Connection: Content-Length', `Content-Length: ${smuggled.length}`) + smuggled,
    ],
    [
      'chunks that Connection names',
      `${post('Connection: Transfer-Encoding', 'Transfer-Encoding: chunked')}${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`,
    ],
    [
      'a body of a GET whose length Connection names',
      post('Connection: Content-Length', `Content-Length: ${smuggled.length}`).replace('POST', 'GET') +
        smuggled,
    ],
    [
      'a body of an upgrade whose length Connection names',
      post('Connection: Upgrade, Content-Length', 'Upgrade: a', `Content-Length: ${smuggled.length}`) +
        smuggled,
    ],
    ['a second host', post('Host: b', 'Content-Length: 2') + `{}${smuggled}`],
    [
      'trailers that are a request',
      `${post('Transfer-Encoding: chunked')}2\r\n{}\r\n0\r\nX-A: b\r\n\r\n${smuggled}`,
    ],
    ['two lengths', post('Content-Length: 2', `Content-Length: ${2 + smuggled.length}`) + `{}${smuggled}`],
    ['a list of lengths', post('Content-Length: 2, 2') + `{}${smuggled}`],
    ['a length with a sign', post('Content-Length: +2') + `{}${smuggled}`],
    ['a length in hexadecimal', post('Content-Length: 0x2') + `{}${smuggled}`],
    ['chunked twice', post('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked') + chunked + smuggled],
    [
      'chunked and identity',
      post('Transfer-Encoding: chunked', 'Transfer-Encoding: identity') + chunked + smuggled,
    ],
    ['a coding in capitals with a tab', post('Transfer-Encoding:\tChunked') + chunked + smuggled],
    [
      'a coding that is nearly chunked',
      post('Transfer-Encoding: xchunked', 'Content-Length: 2') + `{}${smuggled}`,
    ],
    [
      'a coding after a vertical tab',
      post('Transfer-Encoding: \x0bchunked', 'Content-Length: 2') + `{}${smuggled}`,
    ],
    ['a name before a space', post('Transfer-Encoding : chunked', 'Content-Length: 2') + `{}${smuggled}`],
    ['a folded coding', post('Transfer-Encoding:', ' chunked', 'Content-Length: 2') + `{}${smuggled}`],
    ['a folded header', post('X-A: b', `\tTransfer-Encoding: chunked`) + smuggled],
    ['bare line feeds', post('Content-Length: 2').replaceAll('\r\n', '\n') + `{}${smuggled}`],
    [
      'a bare line feed in a header',
      post('X-A: b\nTransfer-Encoding: chunked', 'Content-Length: 2') + `{}${smuggled}`,
    ],
    [
      'a bare carriage return',
      post('X-A: b\rTransfer-Encoding: chunked', 'Content-Length: 2') + `{}${smuggled}`,
    ],
    [
      'a chunk size with an extension and a line feed',
      `${post('Transfer-Encoding: chunked')}2;a\nb\r\n{}\r\n0\r\n\r\n${smuggled}`,
    ],
    [
      'a chunk size that overflows',
      `${post('Transfer-Encoding: chunked')}10000000000000002\r\n{}\r\n0\r\n\r\n${smuggled}`,
    ],
    ['a negative chunk', `${post('Transfer-Encoding: chunked')}-2\r\n{}\r\n0\r\n\r\n${smuggled}`],
    ['a chunk longer than its size', `${post('Transfer-Encoding: chunked')}1\r\n{}\r\n0\r\n\r\n${smuggled}`],
    ['HTTP/1.0 with chunks', post('Transfer-Encoding: chunked').replace('1.1', '1.0') + chunked + smuggled],
    [
      'a body of an upgrade',
      post('Upgrade: websocket', 'Connection: Upgrade', 'Content-Length: 2') + `{}${smuggled}`,
    ],
    [
      'an upgrade to HTTP/2',
      post(
        'Upgrade: h2c',
        'Connection: Upgrade, HTTP2-Settings',
        'HTTP2-Settings: AAMAAABkAAQAAP__',
        'Content-Length: 2',
      ) + `{}${smuggled}`,
    ],
    ['an expectation', post('Expect: 100-continue', 'Content-Length: 2') + `{}${smuggled}`],
    [
      'a request line in a path',
      `GET ${things}%20HTTP/1.1%0d%0aX-Remote-User:%20admin%0d%0a%0d%0aGET%20/smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
    ],
    ['a request line with spaces', `GET ${things} /smuggled HTTP/1.1\r\nHost: a\r\n\r\n`],
    ['a whole URL', `GET https://other.example/smuggled HTTP/1.1\r\nHost: a\r\n\r\n`],
  ])('%s', async (_name, bytes) => {
    spy.seen();
    const { text } = await server.raw(bytes, { as: server.credential('alice', 'people') });
    const seen = spy.seen();
    // If the front proxy reads the second request separately, alice has no permission for it.
    expect(
      seen.filter(
        ({ url }) => new URL(url, 'https://a').pathname.includes('smuggled') && !url.startsWith(things),
      ),
    ).toEqual([]);
    expect(seen.length).toBeLessThanOrEqual(1);
    for (const one of seen) expect(identityOf(one)).toEqual(isAlice);
    expect(text).not.toMatch(/Spied[^]*Spied/);
  });
});

describe('the authorized request is the forwarded request', () => {
  const others = `${spyRoot}/secrets`;
  it.each([
    ['another resource', others],
    ['dot segments', `${things}/../secrets`],
    ['escaped dot segments', `${things}/%2e%2e/secrets`],
    ['half escaped dot segments', `${things}/.%2e/secrets`],
    ['escaped slashes', `${things}%2f..%2fsecrets`],
    ['dots that are escaped twice', `${things}/%252e%252e/secrets`],
    ['back slashes', `${things}\\..\\secrets`],
    ['parameters', `${things}/..;/secrets`],
    ['overlong dots', `${things}/%c0%ae%c0%ae/secrets`],
    ['full-width dots', `${things}/%ef%bc%8e%ef%bc%8e/secrets`],
    ['escaped back slashes', `${things}/..%5c..%5csecrets`],
    ['a tab after dots', `${things}/..%09/secrets`],
    ['two slashes', `${spyRoot}//secrets`],
    ['slashes in front', `//${others}`],
    ['capitals', others.replace('secrets', 'SECRETS')],
    ['a resource in the query', `${things}?resource=secrets&path=/secrets`],
    ['a watch of old', others.replace('/v1/', '/v1/watch/')],
    ['out of another group', `/apis/apps/v1/../..${others}`],
    ['out of health', `/healthz/..${others}`],
    ['a NUL', `${things}%00/../secrets`],
    ['a fragment', `${things}%23/../secrets`],
  ])('%s', async (_name, path) => {
    spy.seen();
    const { status } = await server.ask({ as: alice, path });
    const seen = spy.seen();
    if (status === 403 || status === 404 || status === 400) return expect(seen).toEqual([]);
    // Forwarded paths are below the allowed resource, in every interpretation.
    expect(seen).toHaveLength(1);
    const { url } = seen[0] as Seen;
    const readings = [url, decodeURIComponent(url), new URL(url, 'https://a').pathname];
    for (const reading of readings) expect(reading.startsWith(things), reading).toBe(true);
  });
});
