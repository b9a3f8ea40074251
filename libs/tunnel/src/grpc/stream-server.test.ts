import { once } from 'node:events';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { acceptStream } from './accept-stream.ts';
import { connectSession } from './sessions.ts';
import { createStreamServer, type StreamServerOptions } from './stream-server.ts';

/** Opens sessions with a server, or connections without one. */
interface Dial {
  (): ClientHttp2Session;
  connect(): Socket;
}

async function serve(options: Partial<StreamServerOptions>): Promise<Dial> {
  const server: Server = createStreamServer({
    tls: undefined,
    maxStreams: 10,
    maxConnections: 10,
    firstStreamMs: 10_000,
    stream: (stream) => void acceptStream(stream),
    ...options,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sessions: ClientHttp2Session[] = [];
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const dial = () => {
    const session = connectSession(() => connect(port, '127.0.0.1'));
    sessions.push(session.on('error', () => undefined));
    return session;
  };
  const open = () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  return Object.assign(dial, { connect: open });
}

const opened = (session: ClientHttp2Session): ClientHttp2Stream =>
  session.request({ ':method': 'POST' }, { endStream: false }).on('error', () => undefined);

test('a stream beyond maxStreams is refused, and the others continue', async () => {
  const session = (await serve({ maxStreams: 2 }))();
  await once(session, 'connect');
  // They are sent before the client knows the limit.
  const streams = [opened(session), opened(session), opened(session)];
  const [refused] = await once(streams[2]!, 'error');
  expect(refused).toMatchObject({ message: 'Stream closed with error code NGHTTP2_REFUSED_STREAM' });
  expect(streams.map(({ destroyed }) => destroyed)).toEqual([false, false, true]);
});

const lastPing = 'finished';

/** The bytes of a client that opens streams, resets each at once, and sends a ping. */
function resetStreams(count: number, code: number): Buffer {
  const frame = (type: number, flags: number, id: number, payload: Buffer): Buffer => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(id, 5);
    return Buffer.concat([head, payload]);
  };
  // POST, http, the path / and the authority x, from the tables of HPACK.
  const headers = Buffer.from([0x83, 0x86, 0x84, 0x41, 1, 0x78]);
  const streams = Array.from({ length: count }, (_, i) => [
    frame(1, 4, 1 + 2 * i, headers),
    frame(3, 0, 1 + 2 * i, Buffer.from([0, 0, 0, code])),
  ]);
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    frame(4, 0, 0, Buffer.alloc(0)),
    ...streams.flat(),
    frame(6, 0, 0, Buffer.from(lastPing)),
  ]);
}

test.each([0, 1, 2, 8])(
  'streams that are reset with code %d as they open are not accepted, and end no other connection',
  async (code) => {
    let accepted = 0;
    const dial = await serve({
      maxStreams: 1_000,
      stream: (stream) => {
        accepted++;
        acceptStream(stream);
      },
    });
    const used = dial();
    await once(opened(used), 'response');
    const socket = dial.connect();
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    socket.write(resetStreams(100, code));
    await expect.poll(() => received).toContain(lastPing);
    await once(opened(used), 'response');
    expect(accepted).toBe(2);
  },
);

test('a connection beyond maxConnections is closed', async () => {
  const dial = await serve({ maxConnections: 1 });
  const first = dial();
  await once(first, 'remoteSettings');
  await once(dial(), 'close');
  expect(first.destroyed).toBe(false);
});

test('a connection without a stream is closed after firstStreamMs, one with a stream is not', async () => {
  const dial = await serve({ firstStreamMs: 50 });
  const used = dial();
  await once(opened(used), 'response');
  await once(dial(), 'close');
  expect(used.destroyed).toBe(false);
});

test.each([
  ['sends nothing', ''],
  ['does not end its hello', '\x16\x03\x01\x02\x00\x01'],
])('with TLS, a connection that %s is closed after firstStreamMs', async (_sentence, bytes) => {
  const dial = await serve({ tls: {}, firstStreamMs: 20 });
  const socket = dial.connect().resume();
  socket.write(bytes);
  await once(socket, 'close');
});
