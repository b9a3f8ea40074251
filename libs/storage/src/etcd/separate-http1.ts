import type { Socket } from 'node:net';

/** The first bytes of HTTP/2 without TLS. RFC 9113, section 3.4. */
const preface = 'PRI * HTTP/2.0';

/** Passes a connection on by its first bytes, which stay readable: gRPC speaks HTTP/2, health checks speak HTTP/1.1. */
export function separateHttp1(
  socket: Socket,
  to: { http1: (socket: Socket) => void; http2: (socket: Socket) => void },
): void {
  // A connection that ends or fails before its first bytes has no other reader.
  const ignore = () => undefined;
  socket.on('error', ignore);
  socket.once('readable', () => {
    const first = socket.read() as Buffer | null;
    if (first === null) return void socket.destroy();
    socket.off('error', ignore);
    socket.unshift(first);
    const isHttp2 = preface.startsWith(first.toString('latin1', 0, preface.length));
    (isHttp2 ? to.http2 : to.http1)(socket);
  });
}
