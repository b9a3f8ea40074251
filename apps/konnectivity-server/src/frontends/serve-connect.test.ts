import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { firstRequestTimeoutMs } from '../limits.ts';
import { startServer } from '../server.fixture.ts';
import type { DialSetting } from '../tunnel/dial.ts';
import { createConnectServer } from './serve-connect.ts';

test.each([
  ['two hosts', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', '400 Bad Request'],
  [
    'a host with a path',
    'CONNECT a:1 HTTP/1.1\r\nHost: a/b\r\n\r\n',
    '400 Bad Request: malformed Host header',
  ],
  [
    'another version',
    'CONNECT a:1 HTTP/2.0\r\nHost: a\r\n\r\n',
    '505 HTTP Version Not Supported: unsupported protocol version',
  ],
  ['a port that is a name', 'CONNECT a:https HTTP/1.1\r\nHost: a\r\n\r\n', '400 Bad Request'],
  ...[
    '::1:1',
    '[::1',
    '::1]:80',
    '[127.0.0.1]:1',
    '[::1%lo]:1',
    '[]:1',
    '[::1]x:1',
    'a:1:1',
    'a@b:1',
    'http://a:1',
  ].map((target) => [
    `the target ${target}`,
    `CONNECT ${target} HTTP/1.1\r\nHost: a\r\n\r\n`,
    '400 Bad Request',
  ]),
  ['another method', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'this proxy only supports CONNECT passthrough\n'],
])('a request with %s reaches no agent', async (_, request, body) => {
  const server = await startServer(['--mode=http-connect']);
  const agent = await server.agent('silent');
  const socket = server.connect();
  socket.write(request);
  const response = await text(socket);
  expect(response.slice(response.indexOf('\r\n\r\n') + 4)).toBe(body);
  expect(agent.received).toEqual([]);
});

test.each([
  ['in pieces', ['CONN', 'ECT 10.0.0.1:443 HTTP/1.1\r\nHo', 'st: a\r\n\r\n']],
  ['with further headers', ['CONNECT 10.0.0.1:443 HTTP/1.1\r\nHost: a\r\nUser-Agent: b\r\n\r\n']],
])('a request %s reaches the agent, and its bytes follow', async (_, pieces) => {
  const server = await startServer(['--mode=http-connect']);
  const agent = await server.agent('silent');
  const socket = server.connect();
  for (const piece of pieces) await new Promise((sent) => socket.write(piece, sent));
  socket.write('early');
  const { address, random } = await agent.next('DIAL_REQ');
  expect(address).toBe('10.0.0.1:443');
  agent.packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random });
  expect(String((await agent.next('DATA')).data)).toBe('early');
});

test('a connection whose request does not come ends after firstRequestTimeoutMs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const frontend = createConnectServer(undefined, {} as DialSetting, () => expect.unreachable());
  const connection = () => new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const [silent, slow] = [connection(), connection()];
  for (const each of [silent, slow]) frontend.emit('connection', each);
  slow.push('CONNECT ');
  await once(slow, 'resume');
  vi.advanceTimersByTime(firstRequestTimeoutMs);
  expect([silent, slow].map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

test('a connection whose TLS handshake does not come is closed', () => {
  const frontend = createConnectServer({}, {} as DialSetting, () => expect.unreachable());
  const silent = new Duplex({ read: () => undefined });
  frontend.emit('tlsClientError', new Error('TLS handshake timeout'), silent);
  expect(silent.destroyed).toBe(true);
});
