import { once } from 'node:events';
import type { Socket } from 'node:net';
import { serveAnother, openConnection, type RawOptions } from './raw-connection.ts';

/** The bytes to send repeatedly. */
export interface Flood {
  first: readonly (string | Uint8Array)[];
  /** Sent repeatedly after `first`: the bytes, or those of a round, counted from 0. */
  repeated: Uint8Array | ((round: number) => Uint8Array);
  /** Maximum number of rounds. */
  times: number;
  /** False leaves the server's responses unread. */
  read?: boolean;
}

/**
 * Sends bytes as fast as the server reads them. Resolves to true when the server ends the connection, or to false when all bytes are sent
 * and the server has had time to serve others.
 */
export async function flood(
  server: string,
  { first, repeated, times, read = true }: Flood,
  options: RawOptions = {},
): Promise<boolean> {
  const socket = openConnection(server, options);
  const closed = new Promise<void>((resolve) => {
    // A reset also ends the connection.
    socket.on('error', () => undefined).once('close', () => resolve());
  });
  await once(socket, options.plain ? 'connect' : 'secureConnect');
  if (read) socket.resume();
  for (const bytes of first) socket.write(bytes);
  for (let round = 0; round < times && !socket.destroyed; round++) {
    const bytes = typeof repeated === 'function' ? repeated(round) : repeated;
    if (!socket.write(bytes)) await Promise.race([drained(socket), closed]);
  }
  // Unread data would hide the end of the connection.
  socket.resume();
  const ended = await Promise.race([closed.then(() => true), handled(socket, server).then(() => false)]);
  socket.destroy();
  return ended;
}

const drained = (socket: Socket) => new Promise<void>((resolve) => socket.once('drain', () => resolve()));

/** Resolves when the server has probably read all bytes: later requests of other clients were served. */
async function handled(socket: Socket, server: string): Promise<void> {
  await new Promise<void>((resolve) => socket.write('', (error) => (error ? undefined : resolve())));
  for (let i = 0; i < 20; i++) await serveAnother(server);
}
