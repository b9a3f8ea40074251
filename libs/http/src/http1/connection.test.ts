import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { backendHandshakeTimeoutMs, dialTimeoutMs, Http1Connection } from './connection.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const keeper = { idle: () => undefined, closed: () => undefined };

/** A connection to a server that accepts connections and sends nothing, and the errors of the connection. */
async function connect() {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = new Http1Connection(
    { host: '127.0.0.1', port } as Http1Connection['endpoint'],
    {},
    keeper,
  );
  const errors: string[] = [];
  connection.socket.on('error', (error) => errors.push(error.message));
  onTestFinished(() => {
    connection.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { connection, errors, port };
}

const closed = ({ socket }: Http1Connection) => new Promise((resolve) => socket.once('close', resolve));

it('a backend that does not accept the connection within dialTimeoutMs', async () => {
  const { connection, errors, port } = await connect();
  // The event of the connection comes in a later turn of the event loop.
  vi.advanceTimersByTime(dialTimeoutMs - 1);
  expect(connection.socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  await closed(connection);
  expect(errors).toEqual([`dial tcp 127.0.0.1:${port}: i/o timeout`]);
  expect(dialTimeoutMs).toBe(30_000);
});

it('a backend that does not complete the TLS handshake within backendHandshakeTimeoutMs', async () => {
  const { connection, errors } = await connect();
  await once(connection.socket, 'connect');
  vi.advanceTimersByTime(backendHandshakeTimeoutMs - 1);
  expect(connection.socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  await closed(connection);
  expect(errors).toEqual(['net/http: TLS handshake timeout']);
  expect(backendHandshakeTimeoutMs).toBe(10_000);
});
