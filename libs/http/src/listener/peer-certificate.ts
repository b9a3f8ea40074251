import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import type { PeerCertificate, TLSSocket } from 'node:tls';

const known = new WeakMap<object, PeerCertificate | null>();

/**
 * Returns the client's certificate with its chain; read once for each connection, since reading it copies the
 * whole chain.
 */
export function peerCertificate(req: IncomingMessage): PeerCertificate | undefined {
  // Each HTTP/2 request has a separate socket proxy; all requests of a connection share the session.
  const session = (req as { stream?: { session?: ServerHttp2Session } }).stream?.session;
  const connection = session ?? req.socket;
  let certificate = known.get(connection);
  if (certificate === undefined) {
    const socket = (session?.socket ?? req.socket) as TLSSocket;
    const read =
      typeof socket.getPeerCertificate === 'function' ? socket.getPeerCertificate(true) : undefined;
    certificate = read && Object.keys(read).length > 0 ? read : null;
    known.set(connection, certificate);
  }
  return certificate ?? undefined;
}
