import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, createServer, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { writeHead } from './write-head.ts';

/** Responds over HTTP/2; resolves to the headers, the body, and whether the response waited for trailers. */
async function respond(send: (res: ServerResponse) => void) {
  let waits = false;
  const server = createServer((_, response) => {
    const { stream } = response as Http2ServerResponse;
    stream.once('wantTrailers', () => (waits = true));
    send(response as unknown as ServerResponse);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({ ':path': '/' });
  let body = '';
  stream.on('data', (chunk: Buffer) => (body += chunk.toString()));
  const [[headers]] = (await Promise.all([once(stream, 'response'), once(stream, 'close')])) as [
    [Record<string, unknown>],
    unknown,
  ];
  client.close();
  server.close();
  return { status: headers[':status'], type: headers['content-type'], id: headers['x-id'], body, waits };
}

it.each([
  [
    'a response over HTTP/2 does not wait for trailers',
    (res: ServerResponse) => {
      writeHead(res, 201, { 'Content-Type': 'text/plain' });
      res.end('done');
    },
    { status: 201, type: 'text/plain', id: undefined, body: 'done', waits: false },
  ],
  [
    'headers that were set before are sent too',
    (res: ServerResponse) => {
      res.setHeader('X-Id', 'a');
      writeHead(res, 200, { 'Content-Type': 'text/plain' });
      res.end('done');
    },
    { status: 200, type: 'text/plain', id: 'a', body: 'done', waits: true },
  ],
])('%s', async (_what, send, expected) => {
  expect(await respond(send)).toEqual(expected);
});

it('the status is known to those who read it from the response', async () => {
  let status = 0;
  await respond((res) => {
    writeHead(res, 404, {});
    status = res.statusCode;
    res.end();
  });
  expect(status).toBe(404);
});
