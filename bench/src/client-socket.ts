import { once } from 'node:events';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import type { ClientConfig } from '@annex/client';

/** Resolves to a connection with the client certificate of the configuration, when its handshake has ended. */
export async function openSocket(
  { server, ca, cert, key, tlsServerName }: ClientConfig,
  options: Pick<ConnectionOptions, 'ALPNProtocols'> = {},
): Promise<TLSSocket> {
  const { hostname, port } = new URL(server);
  const servername = tlsServerName ?? 'localhost';
  const socket = connect({ ...options, host: hostname, port: Number(port), ca, cert, key, servername });
  await once(socket, 'secureConnect');
  return socket;
}
