import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startHarness } from './forward-harness.fixture.ts';
import { maxPassedInterimResponses } from './outgoing-request.ts';

let harness: Harness;
let http2Only: Http2SecureServer;

const okHead = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n';
const lines = (count: number, line: string): string => `${line}\r\n`.repeat(count);

/** Responses of extension servers by the last path segment. */
const responses: Readonly<Record<string, string>> = {
  folded: `${okHead}a: b\r\n${lines(9_000, ' c')}\r\nok`,
  'too-much-folded': `${okHead}a: b\r\n${lines(100_000, ' c')}\r\nok`,
  empty: `${okHead}${lines(9_000, 'a:')}\r\nok`,
  'too-many-empty': `${okHead}${lines(20_000, 'a:')}\r\nok`,
  long: `${okHead}a: ${'b'.repeat(1024 * 1024)}\r\n\r\nok`,
  hints: `HTTP/1.1 103 Early Hints\r\nLink: <a>${'; a=b=c'.repeat(100)}"\r\n\r\n${okHead}\r\nok`,
  interim: `${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(1_000)}${okHead}\r\nok`,
};

/** Writes interim responses until the connection ends. */
function processForever({ socket }: IncomingMessage): void {
  const some = 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100);
  const writeMore = () => {
    while (!socket.destroyed && socket.write(some));
  };
  socket.on('error', () => undefined).on('drain', writeMore);
  writeMore();
}

const http2Responses: Readonly<Record<string, (stream: ServerHttp2Stream) => void>> = {
  interim(stream) {
    const timer = setInterval(() => {
      if (stream.destroyed || stream.closed) clearInterval(timer);
      else stream.additionalHeaders({ ':status': 102 });
    }, 1);
  },
  'too-many': (stream) => stream.respond({ ':status': 200, a: Array.from({ length: 20_000 }, () => '') }),
  many(stream) {
    stream.respond({ ':status': 200, a: Array.from({ length: 900 }, () => '') });
    stream.end('ok');
  },
};

beforeAll(async () => {
  harness = await startHarness();
  await harness.extension('hostile.example.com', (req) => {
    const kind = req.url?.split('/').at(-1) ?? '';
    if (kind === 'endless') processForever(req);
    else req.socket.write(responses[kind] ?? '');
  });
  http2Only = createSecureServer({ ...harness.serving, maxSendHeaderBlockLength: 1024 * 1024 });
  http2Only.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const respond = http2Responses[headers[':path']?.split('/').at(-1) ?? ''];
    if (respond === undefined) stream.respond({ ':status': 200 }, { endStream: true });
    else respond(stream);
  });
  http2Only.listen(0, '127.0.0.1');
  await once(http2Only, 'listening');
  await harness.register('two.example.com', (http2Only.address() as AddressInfo).port);
});
afterAll(async () => {
  await harness.stop();
  http2Only.close();
});

const get = (kind: string, group = 'hostile.example.com'): Promise<string> =>
  harness.raw(`GET /apis/${group}/v1/${kind} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`);

const broken = 'error trying to reach service: net/http: HTTP/1.x transport connection broken: net/http: ';

/** Sends a GET over HTTP/2 from a client that accepts heads of any size. */
async function getOverHttp2(
  kind: string,
): Promise<{ status: number | undefined; count: number; text: string }> {
  const session = connect(`https://127.0.0.1:${harness.port}`, {
    rejectUnauthorized: false,
    maxHeaderListPairs: 100_000,
    settings: { maxHeaderListSize: 64 * 1024 * 1024 },
  });
  const stream = session.request({ ':path': `/apis/hostile.example.com/v1/${kind}` });
  const [headers, , raw] = (await once(stream, 'response')) as [Record<string, unknown>, number, string[]];
  const text = Buffer.concat(await stream.toArray()).toString();
  session.destroy();
  const count = raw.filter((name, i) => i % 2 === 0 && name === 'a').length;
  return { status: headers[':status'] as number, count, text };
}

describe('a response head of an extension server', () => {
  it.each([
    ['one line that is folded 9,000 times is joined', 'folded', `\r\na: b${' c'.repeat(9_000)}\r\n`],
    ['9,000 lines pass', 'empty', `\r\n${lines(9_000, 'a: ')}`],
    ['hints that are not links do not delay the response', 'hints', '\r\n\r\nok'],
    [
      '100,000 folded lines are rejected',
      'too-much-folded',
      `${broken}server response headers exceeded 10000 lines`,
    ],
    // The limit: maxHeadLines.
    ['20,000 lines are rejected', 'too-many-empty', `${broken}server response headers exceeded 10000 lines`],
    // The limit: maxHeadBytes.
    ['1 MiB is rejected', 'long', `${broken}server response headers exceeded 1048576 bytes`],
    [
      'endless interim responses are rejected',
      'endless',
      `${broken}server response headers exceeded 1048576 bytes`,
    ],
  ])('of %s', async (_, kind, part) => expect(await get(kind)).toContain(part));

  it.each([
    ['9,000 lines pass', 'empty', { status: 200, count: 9_000, text: 'ok' }],
    ['20,000 lines are rejected', 'too-many-empty', { status: 503, count: 0 }],
    ['endless interim responses are rejected', 'endless', { status: 503, count: 0 }],
  ])('to a client over HTTP/2: %s', async (_, kind, expected) =>
    expect(await getOverHttp2(kind)).toMatchObject(expected),
  );

  it.each([
    ['900 lines pass', 'many', 'HTTP/1.1 200 OK'],
    ['20,000 lines are rejected', 'too-many', 'HTTP/1.1 503 '],
    // The limit: maxHttp2InterimResponses.
    ['endless interim responses are rejected', 'interim', 'http2: too many 1xx informational responses'],
  ])('over HTTP/2: %s', async (_, kind, part) => expect(await get(kind, 'two.example.com')).toContain(part));

  it('after 1,000 interim responses passes with the first of them', async () => {
    const text = await get('interim');
    expect(text.endsWith('\r\n\r\nok')).toBe(true);
    const passed = text.split('HTTP/1.1 102 Processing').length - 1;
    expect(passed).toBeLessThanOrEqual(maxPassedInterimResponses);
  });
});
