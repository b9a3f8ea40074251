import type { IncomingMessage } from 'node:http';
import type { ServerHttp2Session } from 'node:http2';
import type { PeerCertificate, TLSSocket } from 'node:tls';

const known = new WeakMap<object, PeerCertificate | null>();

/** The client's certificate with its chain; read once for each connection, since reading it copies the whole chain. */
export function peerCertificate(req: IncomingMessage): PeerCertificate | undefined {
  // A request over HTTP/2 has a socket proxy of its own; what all requests of a connection share is the session.
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
