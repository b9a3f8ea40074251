import { rmSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listenError, OperatorError } from '@annex/runtime';

/** Where a proxy listens: a Unix socket, or an address and a port. */
export interface ListenAddress {
  address: string;
  port: number;
  unixSocket?: string | undefined;
}

/**
 * Listens. A Unix socket replaces an older one, and only its user can connect. Rejects with PORT_IN_USE or
 * ADDRESS_UNAVAILABLE.
 */
export async function listen(server: Server, { address, port, unixSocket }: ListenAddress): Promise<void> {
  if (unixSocket !== undefined && isSocket(unixSocket)) rmSync(unixSocket);
  await new Promise<void>((listening, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = `cannot listen on ${unixSocket}: ${cause.message}`;
      const isPort = unixSocket === undefined;
      reject(
        isPort ? listenError(cause, address, port) : new OperatorError('ADDRESS_UNAVAILABLE', why, { cause }),
      );
    });
    if (unixSocket === undefined) return void server.listen({ host: address, port }, listening);
    // The socket is created before `listen` returns.
    const mask = process.umask(0o077);
    server.listen(unixSocket, listening);
    process.umask(mask);
  });
}

const isSocket = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isSocket() ?? false;

/** The address of a server that listens: `127.0.0.1:8001`, or the path of its socket. */
export function addressOf(server: Server): string {
  const at = server.address() as AddressInfo | string;
  if (typeof at === 'string') return at;
  return at.family === 'IPv6' ? `[${at.address}]:${at.port}` : `${at.address}:${at.port}`;
}
