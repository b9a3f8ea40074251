import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostileServer, startHostile } from './hostile-server.ts';
import { type Field, type Part, sendFrames } from './raw-http2.ts';
import { grantSpying, type SpyExtension, spyRoot, startSpy } from './spy-extension.ts';

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

const things = `${spyRoot}/things`;
const pseudo = (changed: Record<string, string> = {}): Field[] =>
  Object.entries({ ':method': 'GET', ':scheme': 'https', ':authority': 'a', ':path': things, ...changed });
const get = (...fields: Field[]): Part[] => [{ headers: [...pseudo(), ...fields] }];
const post = (fields: Field[], ...parts: Part[]): Part[] => [
  { headers: [...pseudo({ ':method': 'POST' }), ['content-type', 'application/json'], ...fields] },
  ...parts,
];
const line = '\r\nX-Remote-User: admin';
const second = 'x\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\nX-Remote-User: admin\r\n\r\n';

describe('HTTP/2 frames that would become other HTTP/1.1 requests are not forwarded', () => {
  it('valid requests arrive', async () => {
    spy.seen();
    await sendFrames(server.annex.url, get(['x-a', 'b']), server.credential('alice', 'people'));
    expect(spy.seen().map(({ url, headers }) => [url, headers.get('x-a')])).toEqual([[things, ['b']]]);
  });

  it.each<[string, Part[]]>([
    ['a line break in a value', get(['x-a', `b${line}`])],
    ['a second request in a value', get(['x-a', second])],
    ['a line break in a name', get([`x-a: b${line}`, 'c'])],
    ['a colon in a name', get(['x-remote-user: admin', 'c'])],
    ['a NUL in a value', get(['x-a', 'b\0c'])],
    ['a name in capitals', get(['X-Remote-User', 'admin'])],
    ['an empty name', get(['', 'admin'])],
    ['a space before a name', get([' x-remote-user', 'admin'])],
    ['a connection header', get(['connection', 'x-remote-user, x-remote-group'])],
    ['a transfer coding', post([['transfer-encoding', 'chunked']], { data: `0\r\n\r\n${second}` })],
    ['an upgrade', get(['upgrade', 'websocket'], ['connection', 'upgrade'])],
    ['a length that is too short', post([['content-length', '2']], { data: `{}${second}` })],
    ['a length that is too long', post([['content-length', '2000']], { data: '{}' })],
    [
      'two lengths',
      post(
        [
          ['content-length', '2'],
          ['content-length', '200'],
        ],
        { data: `{}${second}` },
      ),
    ],
    ['a length without a body', get(['content-length', '200'])],
    ['a forged user', get(['x-remote-user', 'admin'], ['x-remote-group', 'system:masters'])],
    ['a pseudo header after the others', get([':path', '/smuggled'])],
    ['a path twice', [{ headers: [...pseudo(), [':path', '/smuggled'] as const] }]],
    ['an unknown pseudo header', [{ headers: [[':x-remote-user', 'admin'] as const, ...pseudo()] }]],
    ['a path with a line break', [{ headers: pseudo({ ':path': `${things} HTTP/1.1${line}` }) }]],
    ['a path with a space', [{ headers: pseudo({ ':path': `${things} /smuggled` }) }]],
    ['a path that is a URL', [{ headers: pseudo({ ':path': 'https://other/smuggled' }) }]],
    ['an empty path', [{ headers: pseudo({ ':path': '' }) }]],
    [
      'a method with a line',
      [{ headers: pseudo({ ':method': 'GET /smuggled HTTP/1.1\r\nX-Remote-User: admin\r\n\r\nGET' }) }],
    ],
    ['an :authority with a line break', [{ headers: pseudo({ ':authority': `a${line}` }) }]],
    ['a scheme with a path', [{ headers: pseudo({ ':scheme': 'https://other/smuggled?' }) }]],
    [
      'trailers with a user',
      post(
        [],
        { data: '{}' },
        {
          headers: [
            ['x-remote-user', 'admin'],
            ['x-remote-group', 'system:masters'],
          ],
        },
      ),
    ],
    ['trailers with a path', post([], { data: '{}' }, { headers: [[':path', '/smuggled']] })],
  ])('%s', async (_name, parts) => {
    spy.seen();
    await sendFrames(server.annex.url, parts, server.credential('alice', 'people'));
    const seen = spy.seen();
    expect(seen.length).toBeLessThanOrEqual(1);
    for (const { headers, trailers, url } of seen) {
      expect(headers.get('x-remote-user')).toEqual(['alice']);
      expect(headers.get('x-remote-group')).toEqual(['people', 'system:authenticated']);
      expect([url, trailers.join()].filter((text) => /smuggled|admin/.test(text))).toEqual([]);
    }
    expect(await server.ask({ path: '/readyz' })).toMatchObject({ status: 200, text: 'ok' });
  });
});
