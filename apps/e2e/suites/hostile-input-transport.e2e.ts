import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HostileServer, startHostile } from './hostile-server.ts';
import { openConnection } from './raw-connection.ts';

let server: HostileServer;
beforeAll(async () => {
  server = await startHostile();
});
afterAll(async () => {
  const leaks = server.leaks();
  await server[Symbol.asyncDispose]();
  expect(leaks).toEqual([]);
});
// After each case, the server serves other clients.
afterEach(async () => {
  expect(await server.ask({ path: '/readyz' })).toMatchObject({ status: 200, text: 'ok' });
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const get = (path: string, ...headers: string[]) =>
  ['GET ' + path + ' HTTP/1.1', 'Host: annex', ...headers, '', ''].join('\r\n');
const post = (path: string, ...headers: string[]) => get(path, ...headers).replace('GET', 'POST');
const jsonBody = 'Content-Type: application/json';

describe('bytes that are not TLS', () => {
  it.each([
    ['a record with a length that no TLS record has', Buffer.from('\x16\x03\x01\xff\xffgarbage', 'latin1')],
    ['a truncated ClientHello, continued with zeros', Buffer.from(`16030100${'00'.repeat(300)}`, 'hex')],
    ['random bytes', Buffer.from('deadbeef'.repeat(64), 'hex')],
  ])('%s ends the connection', async (_what, bytes) => {
    expect(await server.raw(bytes, { plain: true })).toMatchObject({ closed: true, statuses: [] });
  });

  it('plain HTTP gets Go’s error response', async () => {
    const { text, closed } = await server.raw(get('/api'), { plain: true });
    expect(text).toBe('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
    expect(closed).toBe(true);
  });

  it('five hundred incomplete handshakes do not block other clients', async () => {
    const halfOpen = Array.from({ length: 500 }, () => openConnection(server.annex.url, { plain: true }));
    await Promise.all(halfOpen.map((socket) => once(socket, 'connect')));
    // The beginning of a ClientHello, and no further bytes.
    for (const socket of halfOpen)
      socket.on('error', () => undefined).write(Buffer.from('1603010200', 'hex'));
    expect((await server.ask({ path: '/version' })).status).toBe(200);
    for (const socket of halfOpen) socket.destroy();
  });
});

describe('requests of HTTP/1.1 that could be read in two ways are refused, and end the connection', () => {
  const hidden = get('/api');
  it.each([
    [
      'a length and chunks',
      post(configMaps, jsonBody, 'Content-Length: 5', 'Transfer-Encoding: chunked') + '0\r\n\r\n' + hidden,
    ],
    ['two lengths', post(configMaps, 'Content-Length: 5', 'Content-Length: 6') + 'abcdef' + hidden],
    ['a length that is no number', post(configMaps, 'Content-Length: 5x') + 'abcde' + hidden],
    ['a negative length', post(configMaps, 'Content-Length: -1') + hidden],
    ['an unknown transfer coding', post(configMaps, 'Transfer-Encoding: xchunked') + '0\r\n\r\n' + hidden],
    [
      'chunked that is not last',
      post(configMaps, 'Transfer-Encoding: chunked, identity') + '0\r\n\r\n' + hidden,
    ],
    [
      'a chunk size that is no number',
      post(configMaps, 'Transfer-Encoding: chunked') + 'zz\r\n\r\n' + hidden,
    ],
    ['a folded header', get('/api', 'X-A: b\r\n c')],
    ['a space before a colon', post(configMaps, 'Content-Length : 5') + 'hello' + hidden],
    ['lines that end with LF only', hidden.replaceAll('\r', '')],
    ['a NUL in the path', get('/api/v1\0/namespaces')],
    ['a control character in a header', get('/api', 'X-A: a\u0001b')],
    ['an unknown method', hidden.replace('GET', 'FROB')],
    ['no host', 'GET /api HTTP/1.1\r\n\r\n'],
    // The limit: maxRequestHeadBytes.
    ['a header of 100 kB', get('/api', `X-A: ${'a'.repeat(100_000)}`)],
    ['3000 headers', get('/api', ...Array.from({ length: 3000 }, (_, i) => `X-${i}: a`))],
  ])('%s', async (_what, bytes) => {
    const { statuses, closed } = await server.raw(bytes);
    expect(closed).toBe(true);
    // The rejection may be lost with the connection, but there is no other response.
    expect([[], [400], [431]]).toContainEqual(statuses);
  });
});

describe('unusual requests that mean one thing', () => {
  it('a GET with a body is served, and the next request on the connection is separate', async () => {
    const { statuses } = await server.raw(get('/version', 'Content-Length: 5') + 'hello' + get('/healthz'));
    expect(statuses).toEqual([200, 200]);
  });

  it('a request line with an absolute URL is served by its path', async () => {
    const { statuses, text } = await server.raw(get('https://elsewhere.example/version'));
    expect(statuses).toEqual([200]);
    expect(text).toContain('"gitVersion"');
  });

  it.each([
    ['h2c', 'Upgrade: h2c', 'Connection: upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
    ['a web socket', 'Upgrade: websocket', 'Connection: upgrade'],
  ])('an unsupported upgrade to %s is an ordinary request', async (_what, ...headers) => {
    expect((await server.raw(get('/version', ...headers))).statuses).toEqual([200]);
  });

  it('trailers are no headers', async () => {
    const trailer = '2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\nImpersonate-User: nobody\r\n\r\n';
    const { text } = await server.raw(
      post(configMaps, jsonBody, 'Transfer-Encoding: chunked', 'Connection: close') + trailer,
    );
    expect(text).toContain('HTTP/1.1 422');
  });

  it('CONNECT makes no tunnel', async () => {
    const { text, closed } = await server.raw('CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(closed).toBe(true);
    expect(text).not.toContain('200');
  });
});

describe('HTTP/2', () => {
  const connect = () => {
    const { certificate: cert, key } = server.admin;
    return connectHttp2(server.annex.url, { cert, key, rejectUnauthorized: false }).on(
      'error',
      () => undefined,
    );
  };

  it('thousands of requests that are reset immediately end the connection', async () => {
    const session = connect();
    await once(session, 'connect');
    const closed = new Promise((resolve) => session.once('close', resolve));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    while (!session.closed && !session.destroyed) {
      // Without its body, the server cannot end the stream before the reset: such streams would not count.
      const request = { ':method': 'POST', ':path': '/api/v1/namespaces', authorization: 'Bearer x' };
      const streams = Array.from({ length: 50 }, () => session.request(request));
      for (const stream of streams) stream.on('error', () => undefined).resume();
      // A stream that is reset in the same turn is never sent.
      await turn();
      for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
      await turn();
    }
    await closed;
  });

  it('frames that are none end the connection', async () => {
    const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
    const { closed } = await server.raw(preface + '\xff'.repeat(400), { protocol: 'h2' });
    expect(closed).toBe(true);
  });

  it('a body past the limit is refused, and its stream alone is closed', async () => {
    const session = connect();
    const stream = session.request({
      ':method': 'POST',
      ':path': configMaps,
      'content-type': 'application/json',
    });
    stream.on('error', () => undefined);
    const chunk = Buffer.alloc(64 * 1024, ' ');
    const feed = () => {
      while (!stream.destroyed && stream.writable && stream.write(chunk));
    };
    stream.on('drain', feed);
    feed();
    const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(headers[':status']).toBe(413);
    await new Promise((resolve) => stream.resume().once('aborted', resolve));
    const next = session.request({ ':path': '/version' });
    const [response] = (await once(next, 'response')) as [Record<string, unknown>];
    expect(response[':status']).toBe(200);
    session.destroy();
  });
});
