import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { HttpRequest } from './http-message.ts';

const known = new WeakMap<object, PeerCertificate | null>();

/**
 * Returns the client's certificate with its chain; read once for each connection, since reading it copies the
 * whole chain.
 */
export function peerCertificate({ socket }: HttpRequest): PeerCertificate | undefined {
  if (socket === undefined) return undefined;
  let certificate = known.get(socket);
  if (certificate === undefined) {
    const { getPeerCertificate } = socket as Partial<TLSSocket>;
    const read = getPeerCertificate?.call(socket as TLSSocket, true);
    certificate = read && Object.keys(read).length > 0 ? read : null;
    known.set(socket, certificate);
  }
  return certificate ?? undefined;
}
