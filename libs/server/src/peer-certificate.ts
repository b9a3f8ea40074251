import type { PeerCertificate, TLSSocket } from 'node:tls';

const known = new WeakMap<object, PeerCertificate | null>();

/** The client's certificate with its chain; read once for each connection, since reading it copies the whole chain. */
export function peerCertificate(socket: TLSSocket): PeerCertificate | undefined {
  // An HTTP/2 request has a proxy for its socket; the session's real socket is the same object for all of its streams.
  let certificate = known.get(socket);
  if (certificate === undefined) {
    const read = typeof socket.getPeerCertificate === 'function' ? socket.getPeerCertificate(true) : undefined;
    certificate = read && Object.keys(read).length > 0 ? read : null;
    known.set(socket, certificate);
  }
  return certificate ?? undefined;
}
