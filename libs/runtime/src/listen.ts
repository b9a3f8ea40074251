import { rm, stat } from 'node:fs/promises';
import type { AddressInfo, Server, Socket } from 'node:net';
import { dirname } from 'node:path';
import type { HostPort } from './destination-rules.ts';
import { OperatorError } from './error-codes.ts';
import { listenError } from './listen-error.ts';

/** A Unix socket to listen on. */
export interface SocketPlace {
  path: string;
  /** Permission bits that the socket does not get, such as `0o077` for its user only. */
  mask: number;
  /** Removes a socket that an earlier process left behind. Another file at the path is never removed. */
  deleteExisting: boolean;
}

/** A server that listens, and its connections. */
export interface Listening {
  /** The path of the Unix socket, or `host:port`; an IPv6 address is in brackets. */
  readonly address: string;
  /** Accepts no more connections. */
  refuse(): void;
  /** Ends all connections, and resolves when they are gone. */
  end(): Promise<void>;
}

/** Listens; port 0 selects a free port. Rejects with OperatorError PORT_IN_USE or ADDRESS_UNAVAILABLE. */
export async function listen(server: Server, place: HostPort | SocketPlace): Promise<Listening> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  if ('path' in place && place.deleteExisting) await removeSocket(place.path);
  await start(server, place);
  // A process without free file descriptors accepts no connection, and continues with the existing ones.
  server.on('error', () => undefined);
  const closed = new Promise((resolve) => server.once('close', resolve));
  return {
    address: addressOf(server),
    refuse: () => void server.close(),
    async end() {
      if (server.listening) server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function start(server: Server, place: HostPort | SocketPlace): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('listening', resolve).once('error', reject);
  try {
    if ('path' in place) {
      // The socket is created before `listen` returns.
      const mask = process.umask(place.mask);
      server.listen(place.path);
      process.umask(mask);
    } else server.listen(place.port, place.host);
    await promise;
  } catch (cause) {
    if ('host' in place) throw listenError(cause as NodeJS.ErrnoException, place.host, place.port);
    // libuv reports a missing folder as EACCES.
    const folder = dirname(place.path);
    const isThere = await stat(folder).catch(() => undefined);
    const reason = isThere ? (cause as Error).message : `there is no folder ${folder}`;
    const why = `cannot listen on ${place.path}: ${reason}`;
    throw new OperatorError('ADDRESS_UNAVAILABLE', why, { cause });
  } finally {
    server.off('listening', resolve).off('error', reject);
  }
}

async function removeSocket(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isSocket()) await rm(path);
}

function addressOf(server: Server): string {
  const address = server.address() as AddressInfo | string;
  if (typeof address === 'string') return address;
  return `${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
