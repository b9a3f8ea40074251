import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server, type Http2Server } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { http2Messages } from './listener.ts';
import { maxUnreadBytes, refuseRest, type RequestAndResponse, unreadTimeoutMs } from './request-body.ts';

let server: Server | Http2Server;
afterEach(() => void server.close());

const refuse = ({ req, res }: RequestAndResponse): void => {
  refuseRest({ req, res });
  res.writeHead(401);
  res.end('no');
};

it.each([
  ['as long as maxUnreadBytes keeps its connection', maxUnreadBytes, 'keep-alive'],
  ['longer than maxUnreadBytes closes its connection', maxUnreadBytes + 1, 'close'],
])('over HTTP/1.1, a refused body %s', async (_what, length, connection) => {
  server = createServer((req, res) => refuse({ req, res }));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  expect(/^Connection: (.*)\r$/m.exec(head.toString())?.[1]).toBe(connection);
});

it('over HTTP/2, a refused body is read up to maxUnreadBytes, and its stream ends after unreadTimeoutMs', async () => {
  server = createHttp2Server(http2Messages, (req, res) =>
    refuse({ req, res } as unknown as RequestAndResponse),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({ ':method': 'POST' }, { endStream: false });
  stream.on('error', () => undefined).resume();
  const [[headers]] = (await Promise.all([once(stream, 'response'), once(stream, 'end')])) as [
    [Record<string, unknown>],
    unknown,
  ];
  const ended = performance.now();
  let taken = 0;
  const chunk = Buffer.alloc(16_384);
  const send = (): void => {
    if (!stream.destroyed) stream.write(chunk, () => ((taken += chunk.length), send()));
  };
  send();
  await once(stream, 'close');
  client.destroy();
  expect(headers[':status']).toBe(401);
  expect(performance.now() - ended).toBeGreaterThan(unreadTimeoutMs / 2);
  expect(taken).toBeLessThan(4 * maxUnreadBytes);
});
