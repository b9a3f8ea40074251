import { rm, stat } from 'node:fs/promises';
import type { AddressInfo, Server, Socket } from 'node:net';
import { listenError, OperatorError } from '@annex/runtime';

/** Where a server listens. */
export type Place = { host: string; port: number } | { path: string; deleteExisting: boolean };

/** A server that listens, and its connections. */
export interface Listening {
  /** The Unix socket, or `host:port`. */
  readonly address: string;
  /** Accepts no more connections. */
  refuse(): void;
  /** Ends all connections, and resolves when they are gone. */
  end(): Promise<void>;
}

/** The group may use a Unix socket, nobody else. */
const socketMask = 0o007;

/** Listens. Throws OperatorError. */
export async function listen(server: Server, place: Place): Promise<Listening> {
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

async function start(server: Server, place: Place): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('listening', resolve).once('error', reject);
  try {
    if ('path' in place) {
      // The socket is created by this call.
      const mask = process.umask(socketMask);
      server.listen(place.path);
      process.umask(mask);
    } else server.listen(place.port, place.host);
    await promise;
  } catch (cause) {
    if ('host' in place) throw listenError(cause as NodeJS.ErrnoException, place.host, place.port);
    throw new OperatorError(
      'ADDRESS_UNAVAILABLE',
      `cannot listen on ${place.path}: ${(cause as Error).message}`,
      {
        cause,
      },
    );
  } finally {
    server.off('listening', resolve).off('error', reject);
  }
}

/** Only a socket is removed: another file at this path is an error of the operator. */
async function removeSocket(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isSocket()) await rm(path);
}

function addressOf(server: Server): string {
  const address = server.address() as AddressInfo | string;
  if (typeof address === 'string') return address;
  return `${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
}
