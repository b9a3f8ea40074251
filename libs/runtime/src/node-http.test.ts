import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { maxInterimResponses, nodeHttp, requireFinalResponse } from './node-http.ts';

let server: Server;
afterEach(() => void server.close());

/** The status of the response when a server writes these bytes, or the error. */
async function outcome(bytes: string): Promise<number | string | undefined> {
  server = createServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.write(bytes));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const request = nodeHttp.get({ host: '127.0.0.1', port, agent: false });
  requireFinalResponse(request);
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response.statusCode;
  } catch (error) {
    return (error as Error).message;
  } finally {
    request.destroy();
  }
}

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const tooMany = 'the server sent too many interim responses';

it.each<[string, string, number | string]>([
  [
    'switches protocols',
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
    'the server switched protocols, which was not requested',
  ],
  ['sends maxInterimResponses', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(maxInterimResponses) + ok, 200],
  ['sends one more', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(maxInterimResponses + 1), tooMany],
  ['sends one more 100', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(maxInterimResponses + 1), tooMany],
])('a request to a server that %s ends', async (_what, bytes, expected) => {
  expect(await outcome(bytes)).toBe(expected);
});
