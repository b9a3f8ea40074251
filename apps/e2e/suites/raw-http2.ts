import type { Credential } from '@annex/testkit';
import { openConnection, untilQuiet } from './raw-connection.ts';

/** A header field without validation: name and value as bytes, Latin-1. */
export type Field = readonly [name: string, value: string];

/** A frame for the first stream of a connection. */
export type Part = { headers: readonly Field[] } | { data: string };

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
} as const;
const flags = { endStream: 1, endHeaders: 4, none: 0 } as const;

/**
 * Sends a request over HTTP/2 frame by frame, without validation. Resolves when the server sends nothing more or has closed the connection.
 */
export async function sendFrames(server: string, parts: readonly Part[], as: Credential): Promise<void> {
  const socket = openConnection(server, { as, protocol: 'h2' });
  const done = Promise.withResolvers<void>();
  socket.once('secureConnect', () => {
    socket.write(preface);
    parts.forEach((part, i) => socket.write(partFrame(part, i === parts.length - 1)));
    void untilQuiet(socket, server).then(done.resolve);
  });
  socket
    .on('data', () => {})
    .on('error', () => done.resolve())
    .on('close', () => done.resolve());
  await done.promise;
  socket.destroy();
}

function partFrame(part: Part, isLast: boolean): Buffer {
  const end = isLast ? flags.endStream : flags.none;
  if ('data' in part) return frame(frameTypes.data, end, 1, Buffer.from(part.data, 'latin1'));
  return frame(frameTypes.headers, flags.endHeaders | end, 1, Buffer.concat(part.headers.map(encoded)));
}

/** RFC 9113 4.1. */
export function frame(type: number, flag: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flag, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The first bytes of a client: RFC 9113 3.4. */
export const preface = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(frameTypes.settings, 0, 0, Buffer.alloc(0)),
]);

/** RFC 7541 6.2.2: a literal field that is not indexed, with a literal name. */
export function encoded([name, value]: Field): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) + 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}
