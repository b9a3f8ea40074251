import { beforeAll, describe, expect, it } from 'vitest';
import { type Flood, flood } from './flood.ts';
import { expectNoHarm, type HostileServer, startHostile } from './hostile-server.ts';
import { encoded, type Field, frame, frameTypes as types, preface } from './raw-http2.ts';

// Reproduces published vulnerabilities of HTTP servers, which docs/reference/attacks.md describes.

let server: HostileServer;
let residentBefore: number;
beforeAll(async () => {
  server = await startHostile();
  residentBefore = await server.residentMiB();
});
expectNoHarm(() => server);

const endStream = 1;
const endHeaders = 4;
const none = Buffer.alloc(0);
const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const settings = frame(types.settings, 0, 0, none);
const opening = [preface];
const pseudo = (method: string): Field[] => [
  [':method', method],
  [':scheme', 'https'],
  [':authority', 'a'],
  [':path', '/api'],
];
const block = (...fields: Field[]) => Buffer.concat(fields.map(encoded));

/** Returns 500 requests on the next streams, each followed by the frames of `then` for its stream. */
const requests =
  (then: (stream: number) => Uint8Array, payload = block(...pseudo('GET'))) =>
  (round: number) =>
    Buffer.concat(
      Array.from({ length: 500 }, (_, i) => {
        const stream = 2 * (500 * round + i) + 1;
        const head = frame(types.headers, endHeaders | endStream, stream, payload);
        return Buffer.concat([head, then(stream)]);
      }),
    );

describe('HTTP/2 floods end their connection and do not affect other clients', () => {
  const openPost = frame(types.headers, endHeaders, 1, block(...pseudo('POST')));
  const manyHeaders = block(...Array.from({ length: 400 }, (_, i): Field => [`x-${i}`, 'a'.repeat(20)]));
  it.each<[string, Flood]>([
    [
      'CVE-2019-9512: pings whose acknowledgments are not read',
      {
        first: opening,
        repeated: Buffer.concat(Array(1000).fill(frame(types.ping, 0, 0, Buffer.alloc(8)))),
        times: 200,
        read: false,
      },
    ],
    [
      'CVE-2019-9515: settings whose acknowledgments are not read',
      { first: opening, repeated: Buffer.concat(Array(1000).fill(settings)), times: 200, read: false },
    ],
    [
      'CVE-2019-9514: requests that are invalid, so that each is reset',
      {
        first: opening,
        repeated: requests(() => none, block(['x-a', 'b'], ...pseudo('GET'))),
        times: 200,
        read: false,
      },
    ],
    [
      'CVE-2023-44487: requests that are reset immediately',
      { first: opening, repeated: requests((id) => frame(types.reset, 0, id, uint32(8))), times: 200 },
    ],
    [
      'CVE-2025-8671: requests that the client makes the server reset',
      {
        first: opening,
        repeated: requests((id) => frame(types.windowUpdate, 0, id, uint32(0))),
        times: 200,
      },
    ],
    [
      'CVE-2024-27983, CVE-2023-45288: continuations without an end',
      {
        first: [...opening, frame(types.headers, 0, 1, block(...pseudo('GET')))],
        repeated: frame(types.continuation, 0, 1, manyHeaders),
        times: 5000,
      },
    ],
    [
      'CVE-2019-9516: headers without names and values',
      {
        first: [...opening, frame(types.headers, 0, 1, block(...pseudo('GET')))],
        repeated: frame(types.continuation, 0, 1, block(...Array(4000).fill(['', '']))),
        times: 2000,
      },
    ],
    [
      'CVE-2016-6581: one byte for each copy of a header of 4,000 bytes',
      {
        // RFC 7541 6.2.1 adds the field to the dynamic table, 6.1 repeats the entry 62.
        first: [
          ...opening,
          frame(
            types.headers,
            0,
            1,
            Buffer.concat([
              block(...pseudo('GET')),
              Buffer.from([0x40]),
              encoded(['x-a', 'a'.repeat(4000)]).subarray(1),
            ]),
          ),
        ],
        repeated: frame(types.continuation, 0, 1, Buffer.alloc(16_000, 0x80 | 62)),
        times: 500,
      },
    ],
    [
      'CVE-2025-59465: a header block that is invalid HPACK',
      {
        first: opening,
        repeated: frame(types.headers, endHeaders | endStream, 1, Buffer.alloc(16_000, 0xff)),
        times: 200,
      },
    ],
    [
      'CVE-2026-21714: a window of the connection that grows past its maximum',
      {
        first: opening,
        repeated: frame(types.windowUpdate, 0, 0, uint32(0x7fffffff)),
        times: 5000,
      },
    ],
    [
      'CVE-2018-7161: frames for streams that were never opened',
      {
        first: opening,
        repeated: frame(types.data, endStream, 99, Buffer.from('x')),
        times: 5000,
      },
    ],
    [
      'CVE-2022-27664: data after the end of the connection',
      {
        first: [...opening, frame(7, 0, 0, Buffer.concat([uint32(0), uint32(0)])), openPost],
        repeated: frame(types.data, 0, 1, Buffer.alloc(16_000)),
        times: 5000,
      },
    ],
  ])('%s', async (_what, sent) => {
    expect(await flood(server.annex.url, sent, { protocol: 'h2' })).toBe(true);
  });

  it.each<[string, Flood]>([
    [
      'CVE-2019-9518: data frames without data',
      { first: [...opening, openPost], repeated: frame(types.data, 0, 1, none), times: 50_000 },
    ],
    [
      'CVE-2019-9513: priorities that change all the time',
      {
        first: [...opening, openPost],
        repeated: frame(types.priority, 0, 1, Buffer.concat([uint32(3), Buffer.from([7])])),
        times: 50_000,
      },
    ],
    [
      'CVE-2026-27141: frames of unknown types',
      {
        first: opening,
        repeated: Buffer.concat(
          Array.from({ length: 6 }, (_, i) => frame(0x0a + i, 0xff, i % 2, Buffer.alloc(100))),
        ),
        times: 5000,
      },
    ],
    [
      'CVE-2019-9511: windows that grow byte by byte while nothing is read',
      {
        first: [
          ...opening,
          frame(types.settings, 0, 0, Buffer.from('000400000001', 'hex')),
          requests(() => none)(0),
        ],
        repeated: frame(types.windowUpdate, 0, 0, uint32(1)),
        times: 20_000,
        read: false,
      },
    ],
  ])('%s', async (_what, sent) => {
    await flood(server.annex.url, sent, { protocol: 'h2' });
    expect((await server.ask({ path: '/version' })).status).toBe(200);
  });

  it('CVE-2021-22883: hundreds of connections for unsupported protocols leave nothing behind', async () => {
    const tries = Array.from({ length: 300 }, () => server.raw('x', { protocol: 'spdy/3.1' }));
    for (const { closed } of await Promise.all(tries)) expect(closed).toBe(true);
  });
});

const get = (path: string, ...headers: string[]) =>
  ['GET ' + path + ' HTTP/1.1', 'Host: annex', ...headers, '', ''].join('\r\n');
const post = (...headers: string[]) =>
  get('/api/v1/namespaces/default/configmaps', 'Content-Type: application/json', ...headers).replace(
    'GET',
    'POST',
  );

describe('HTTP/1.1 requests that another reader could split differently are refused', () => {
  const hidden = get('/healthz');
  const chunked = 'Transfer-Encoding: chunked';
  it.each([
    ['CVE-2018-7159: a length with a space inside', post('Content-Length: 1 2') + '{}{}{}{}{}{}' + hidden],
    [
      'CVE-2019-15605: a coding with a form feed',
      post('Transfer-Encoding: \u000cchunked') + '0\r\n\r\n' + hidden,
    ],
    [
      'CVE-2019-16276, CVE-2021-22959: a space before the colon',
      post('Transfer-Encoding : chunked') + '0\r\n\r\n' + hidden,
    ],
    [
      'CVE-2020-8201: a carriage return in a name',
      post('Transfer\rEncoding: chunked') + '0\r\n\r\n' + hidden,
    ],
    ['CVE-2020-8287: two codings', post(chunked, 'Transfer-Encoding: identity') + '0\r\n\r\n' + hidden],
    [
      'CVE-2022-32213: a coding that only ends in chunked',
      post('Transfer-Encoding: abcchunked') + '0\r\n\r\n' + hidden,
    ],
    [
      'CVE-2022-32214, CVE-2022-35256: a line that ends with CR only',
      post('X-A: b\rTransfer-Encoding: chunked') + hidden,
    ],
    [
      'CVE-2022-32215: a coding over two lines',
      post('Transfer-Encoding: chunked\r\n , identity') + '0\r\n\r\n' + hidden,
    ],
    ['CVE-2023-30589: a head that ends with CR only', post().slice(0, -4) + '\r\r' + hidden],
    ['CVE-2024-27982: a space before a length', post('X-A: b', ' Content-Length: 2') + '{}' + hidden],
    [
      'CVE-2025-23167: a head that ends without its last line feed',
      post(chunked).slice(0, -1) + 'X' + hidden,
    ],
    ['CVE-2025-22871: a chunk size that ends with LF only', post(chunked) + '2\n{}\r\n0\r\n\r\n' + hidden],
    [
      'CVE-2022-1705: an unknown coding and a length',
      post('Transfer-Encoding: identity', 'Content-Length: 2') + '{}' + hidden,
    ],
    ['CVE-2016-2086: a length with a sign', post('Content-Length: +2') + '{}' + hidden],
  ])('%s', async (_what, bytes) => {
    const { statuses, closed } = await server.raw(bytes);
    expect(closed).toBe(true);
    expect([[], [400], [501]]).toContainEqual(statuses);
  });

  it.each<[string, Flood]>([
    [
      'CVE-2024-22019, CVE-2023-39326: a chunk extension without an end',
      { first: [post(chunked), '1;'], repeated: Buffer.alloc(64 * 1024, 'a'), times: 2000 },
    ],
    [
      'CVE-2018-12121: a head without an end',
      {
        first: [get('/api').slice(0, -2)],
        repeated: Buffer.from(`X-A: ${'a'.repeat(1000)}\r\n`),
        times: 5000,
      },
    ],
  ])('%s', async (_what, sent) => {
    expect(await flood(server.annex.url, sent, { as: server.admin })).toBe(true);
  });
});

describe('HTTP/1.1 requests that are odd and mean one thing', () => {
  it('CVE-2026-21710: a header called __proto__', async () => {
    const { statuses } = await server.raw(get('/version', '__proto__: a', 'constructor: b', '__proto__: c'));
    expect(statuses).toEqual([200]);
  });

  it('CVE-2019-15606: spaces behind a value do not count', async () => {
    const { statuses } = await server.raw(post('Content-Length: 2 \t') + '{}' + get('/version'));
    expect(statuses).toEqual([422, 200]);
  });

  it('CVE-2015-8027: hundreds of requests in one packet get their responses in order', async () => {
    const paths = Array.from({ length: 300 }, (_, i) => (i % 2 === 0 ? '/version' : '/nothing'));
    const { statuses } = await server.raw(paths.map((path) => get(path)).join(''));
    expect(statuses).toEqual(paths.map((path) => (path === '/version' ? 200 : 404)));
  });

  it('CVE-2025-58186: thousands of cookies', async () => {
    const { statuses } = await server.raw(get('/version', `Cookie: ${'a=;'.repeat(15_000)}`));
    expect(statuses).toEqual([200]);
  });
});

it('afterwards the server uses no more memory than before', async () => {
  expect((await server.residentMiB()) - residentBefore).toBeLessThan(300);
});
