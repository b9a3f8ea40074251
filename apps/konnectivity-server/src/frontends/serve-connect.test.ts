import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startServer } from '../server.fixture.ts';

test.each([
  ['two hosts', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n', '400 Bad Request'],
  ['a port that is a name', 'CONNECT a:https HTTP/1.1\r\nHost: a\r\n\r\n', '400 Bad Request'],
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
