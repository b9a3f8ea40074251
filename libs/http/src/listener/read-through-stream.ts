import type { TLSSocket } from 'node:tls';

/**
 * Makes Node read an HTTP/1.1 connection through its stream. By default, TLS hands each decrypted record to the parser directly. It does so
 * while Node has paused the parser, because the client has not read the previous response yet; the parser then fails with `HPE_PAUSED`, and
 * the connection is reset. The stream holds what arrives in a pause. Node gives up the direct way for good at the first listener for `data`.
 */
export function readThroughStream(socket: TLSSocket): void {
  if (socket.alpnProtocol === 'h2') return;
  const ignore = (): void => undefined;
  socket.on('data', ignore);
  socket.off('data', ignore);
}
