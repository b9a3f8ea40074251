import { once } from 'node:events';
import { type ClientHttp2Stream, connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import type { HttpResponse } from './http-message.ts';
import type { Http2Response } from './http2-response.ts';
import { http2Messages } from './listener.ts';

/** Serves over HTTP/2. Resolves to a function that sends a request. */
async function serve(send: (res: HttpResponse) => void) {
  const server = createServer(http2Messages, (_req, res) => send(res as unknown as Http2Response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  return (headers: Record<string, string> = {}): ClientHttp2Stream => client.request(headers);
}

/** Resolves to the headers, the body and the trailers of the response, and whether it waited for trailers. */
async function respond(send: (res: HttpResponse) => void, method = 'GET') {
  let waits = false;
  const request = await serve((res) => {
    res.stream?.once('wantTrailers', () => (waits = true));
    send(res);
  });
  const stream = request({ ':method': method });
  let [body, trailer] = ['', undefined as unknown];
  stream.on('data', (chunk: Buffer) => (body += chunk.toString()));
  stream.on('trailers', (trailers) => (trailer = trailers['x-sum']));
  const [[headers]] = (await Promise.all([once(stream, 'response'), once(stream, 'close')])) as [
    [Record<string, unknown>],
    unknown,
  ];
  return {
    status: headers[':status'],
    type: headers['content-type'],
    id: headers['x-id'],
    body,
    trailer,
    waits,
  };
}

const text = { 'Content-Type': 'text/plain' };
const plain = { status: 200, type: 'text/plain', id: undefined, body: 'done', trailer: undefined };

it.each([
  [
    'a response does not wait for trailers',
    (res: HttpResponse) => {
      res.writeHead(201, text);
      res.end('done');
    },
    { ...plain, status: 201, waits: false },
  ],
  [
    'a response with trailers waits for them',
    (res: HttpResponse) => {
      res.writeHead(200, { ...text, Trailer: 'X-Sum' });
      res.write('do');
      res.addTrailers({ 'X-Sum': '4' });
      res.end('ne');
    },
    { ...plain, trailer: '4', waits: true },
  ],
  [
    'a response that announces trailers ends without them',
    (res: HttpResponse) => {
      res.writeHead(200, { ...text, Trailer: 'X-Sum' });
      res.end('done');
    },
    { ...plain, waits: true },
  ],
  [
    'headers that were set before are sent too, and later ones replace them',
    (res: HttpResponse) => {
      res.setHeader('X-Id', 'a');
      res.setHeader('Content-type', 'text/html');
      res.writeHead(200, text);
      res.end('done');
    },
    { ...plain, id: 'a', waits: false },
  ],
  [
    'a body without a head has the status of the response',
    (res: HttpResponse) => {
      res.setHeader('Content-Type', 'text/plain');
      res.statusCode = 404;
      res.end('done');
    },
    { ...plain, status: 404, waits: false },
  ],
  [
    'a head without a body is a whole response',
    (res: HttpResponse) => {
      res.writeHead(204, text);
      res.end();
    },
    { ...plain, status: 204, body: '', waits: false },
  ],
])('%s', async (_what, send, expected) => {
  expect(await respond(send)).toEqual(expected);
});

it('a response to HEAD has no body, and closes', async () => {
  const closed = Promise.withResolvers<void>();
  const sent = await respond((res) => {
    res.once('close', closed.resolve);
    res.writeHead(200, text);
    res.end();
  }, 'HEAD');
  await closed.promise;
  expect(sent).toEqual({ ...plain, body: '', waits: false });
});

it('the status is known to those who read it from the response', async () => {
  let status = 0;
  await respond((res) => {
    res.writeHead(404, {});
    status = res.statusCode;
    res.end();
  });
  expect(status).toBe(404);
});

it('a request that expects to continue is told so', async () => {
  const request = await serve((res) => res.end());
  const stream = request({ ':method': 'POST', expect: '100-continue' });
  await once(stream, 'continue');
  stream.close();
});

it('a client that resets its stream closes the response, which takes no more', async () => {
  const begun = Promise.withResolvers<HttpResponse>();
  const request = await serve((res) => begun.resolve(res));
  const stream = request();
  const res = await begun.promise;
  const [closed, removed] = [Promise.withResolvers<void>(), () => expect.unreachable()];
  res.once('close', removed);
  res.off('close', removed);
  res.once('close', closed.resolve);
  stream.close();
  await closed.promise;
  res.writeHead(200, text);
  expect(res.write('late')).toBe(false);
  res.end('late');
  expect([res.destroyed, res.headersSent, res.writableEnded]).toEqual([true, false, true]);
});

it('a response waits while its client does not read', async () => {
  const begun = Promise.withResolvers<HttpResponse>();
  const request = await serve((res) => begun.resolve(res));
  const stream = request();
  const res = await begun.promise;
  const mebibyte = Buffer.alloc(1024 * 1024);
  expect(res.write(mebibyte)).toBe(false);
  expect(res.writableLength).toBeGreaterThan(0);
  const drained = new Promise<void>((resolve) => res.once('drain', resolve));
  stream.resume();
  await drained;
  expect(res.writableNeedDrain).toBe(false);
  res.end();
});
