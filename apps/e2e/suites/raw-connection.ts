import { connect as connectPlain, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { Credential } from '@annex/testkit';

/** Options of a connection. */
export interface RawOptions {
  /** A client certificate. */
  as?: Credential;
  /** True for plain TCP without TLS. */
  plain?: boolean;
  protocol?: string;
}

/** The received bytes. */
export interface RawResponse {
  text: string;
  /** The status codes of the responses, in order. */
  statuses: number[];
  /** True if the server ended the connection; false if it sent nothing for a while and kept the connection open. */
  closed: boolean;
}

const quietMs = 350;
const quietRounds = 2;

/** Opens a connection to a server. */
export function openConnection(
  server: string,
  { as, plain, protocol = 'http/1.1' }: RawOptions = {},
): Socket {
  const { hostname: host, port } = new URL(server);
  const address = { host, port: Number(port) };
  if (plain) return connectPlain(address);
  const identity = as === undefined ? {} : { cert: as.certificate, key: as.key };
  return connectTls({ ...address, ...identity, rejectUnauthorized: false, ALPNProtocols: [protocol] });
}

/** Sends bytes unchanged, and resolves to the received bytes when the server closes the connection or sends nothing for a while. */
export function rawExchange(
  server: string,
  bytes: string | Uint8Array,
  options: RawOptions = {},
): Promise<RawResponse> {
  const socket = openConnection(server, options);
  const { promise, resolve } = Promise.withResolvers<RawResponse>();
  let text = '';
  const done = (closed: boolean) => {
    socket.destroy();
    const statuses = [...text.matchAll(/HTTP\/1\.[01] (\d{3}) [A-Z]/g)].map(([, status]) => Number(status));
    resolve({ text, statuses, closed });
  };
  socket.once(options.plain ? 'connect' : 'secureConnect', () => {
    socket.write(bytes);
    void untilQuiet(socket, server).then(() => done(false));
  });
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  // A reset also ends the connection.
  socket.on('error', () => done(true));
  socket.on('close', () => done(true));
  return promise;
}

/**
 * Resolves when the server sends nothing more: twice it sent nothing for a while, and then served another request. A busy server is slow
 * for all clients.
 */
export async function untilQuiet(socket: Socket, server: string): Promise<void> {
  let pieces = 0;
  socket.on('data', () => pieces++);
  for (let quiet = 0, before = pieces; quiet < quietRounds && !socket.destroyed; before = pieces) {
    await setTimeout(quietMs);
    await serveAnother(server);
    quiet = pieces === before ? quiet + 1 : 0;
  }
}

/** Resolves when the server has served a request on a new connection. */
export async function serveAnother(server: string): Promise<void> {
  const socket = openConnection(server);
  socket.resume();
  socket.on('error', () => undefined);
  socket.once('secureConnect', () =>
    socket.write('GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'),
  );
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
}
