import { once } from 'node:events';
import { type ClientHttp2Stream, connect, createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { HttpRequest, HttpResponse } from './http-message.ts';
import { http2Messages } from './listener.ts';
import { bodyStream, readBody } from './request-body.ts';

/** Sends a request over HTTP/2; resolves to it as the server sees it, and to the stream of the client. */
async function send(headers: Record<string, string>, begin: (stream: ClientHttp2Stream) => void) {
  const received = Promise.withResolvers<{ req: HttpRequest; res: HttpResponse }>();
  const server = createServer(http2Messages, (req, res) =>
    received.resolve({ req, res } as unknown as { req: HttpRequest; res: HttpResponse }),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const stream = client.request({ ':method': 'POST', ':path': '/a?b', ...headers });
  stream.on('error', () => undefined);
  begin(stream);
  return { ...(await received.promise), stream };
}

it('has the members of a request over HTTP/1.1', async () => {
  const { req } = await send({ 'x-a': 'b' }, (stream) => stream.end());
  expect(req).toMatchObject({ method: 'POST', url: '/a?b', httpVersion: '2.0', httpVersionMajor: 2 });
  expect(req.headers['x-a']).toBe('b');
  expect(req.rawHeaders.slice(-2)).toEqual(['x-a', 'b']);
  expect(req.socket?.remoteAddress).toBe('127.0.0.1');
});

it.each([
  ['of a known length', { 'content-length': '4' }, 'text'],
  ['of unknown length', {}, 'text'],
  ['that is longer than the buffers of a stream', {}, 'x'.repeat(1_000_000)],
  ['that is empty', {}, ''],
])('a body %s is read, at once or later', async (_what, headers, text) => {
  const { req } = await send(headers, (stream) => stream.end(text));
  expect((await readBody({ req })).toString()).toBe(text);
  expect(req.complete).toBe(true);
});

it('a body that has arrived is returned without a promise', async () => {
  const { req } = await send({ 'content-length': '4' }, (stream) => stream.end('text'));
  while (req.stream?.readableLength !== 4) await setImmediate();
  await setImmediate();
  expect(readBody({ req })).toEqual(Buffer.from('text'));
  expect(req.complete).toBe(true);
});

it('a body of the announced length whose stream has not ended is not complete', async () => {
  const { req, stream } = await send({ 'content-length': '4' }, (one) => one.write('text'));
  while (req.stream?.readableLength !== 4) await setImmediate();
  const read = readBody({ req });
  expect(read).toBeInstanceOf(Promise);
  expect(req.complete).toBe(false);
  stream.end();
  expect((await read).toString()).toBe('text');
});

it.each([
  ['read', (req: HttpRequest) => Promise.resolve(readBody({ req }))],
  ['passed on', (req: HttpRequest) => buffer(bodyStream(req))],
])('a body that its client breaks off fails when it is %s', async (_what, read) => {
  const { req, stream } = await send({}, (one) => one.write('te'));
  const failed = expect(read(req)).rejects.toThrow(/the client (?:stopped|aborted)/);
  while (req.stream?.readableLength === 0 && !req.stream.readableFlowing) await setImmediate();
  stream.session?.destroy();
  await failed;
});

it('a body that was broken off before it is read fails', async () => {
  const { req, res, stream } = await send({}, (one) => one.write('te'));
  const closed = new Promise<void>((resolve) => res.once('close', resolve));
  stream.session?.destroy();
  await closed;
  await expect(readBody({ req })).rejects.toThrow('the client stopped sending the request body');
  await expect(buffer(bodyStream(req))).rejects.toThrow('the client aborted its request');
});

it('a body that is passed on is not read faster than its reader, whose end does not end the response', async () => {
  const { req, res, stream } = await send({}, (one) => one.write('x'.repeat(500_000)));
  const body = bodyStream(req);
  body.once('readable', () => undefined);
  while (req.stream?.isPaused() !== true) await setImmediate();
  expect(body.readableLength).toBeLessThan(200_000);
  body.destroy();
  res.writeHead(200);
  res.end('done');
  expect(await buffer(stream)).toEqual(Buffer.from('done'));
});
