import { once } from 'node:events';
import { constants, type Http2Session, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { type Duplex, duplexPair } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { frameTypes } from '../frames/frame.ts';
import { FrameScanner } from '../frames/frame-scanner.ts';
import { acceptStream, refuseStream } from '../grpc/accept-stream.ts';
import { announceExtensions } from '../grpc/extensions.ts';
import { createStreamServer } from '../grpc/stream-server.ts';
import type { PacketStream } from '../grpc/packet-stream.ts';
import { GrpcError, grpcStatus } from '../grpc/status.ts';
import {
  connectionWindowBytes,
  maxSentDataBytes,
  streamEndTimeoutMs,
  streamWindowBytes,
  tunnelDialTimeoutMs,
} from '../limits.ts';
import type { ReceivedPacket } from '../packet/packet.ts';
import { TunnelDialError } from './dial-error.ts';
import { TunnelDialer } from './tunnel-dialer.ts';

const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()));

/** What a scripted server does with a packet; the received packets are recorded. */
type Script = (packet: ReceivedPacket, packets: PacketStream) => void;

async function serve(
  script: Script,
  extensions = announceExtensions(['half-close']),
  through?: (socket: Duplex) => Duplex,
) {
  const received: ReceivedPacket[] = [];
  const ended: Promise<void>[] = [];
  const dialer = await listen((stream) => {
    const packets = acceptStream(stream, { metadata: extensions });
    const { promise, resolve } = Promise.withResolvers<void>();
    ended.push(promise);
    packets.start({
      packet(packet) {
        received.push(packet.type === 'DATA' ? { ...packet, data: Buffer.from(packet.data) } : packet);
        script(packet, packets);
      },
      ended: () => packets.end(),
      closed: () => resolve(),
    });
  }, through);
  return { dialer, received, ended };
}

async function listen(stream: (stream: ServerHttp2Stream) => void, through = (socket: Duplex) => socket) {
  const limits = { maxStreams: 100, maxConnections: 10, firstStreamMs: 5_000 };
  const server = createStreamServer({ tls: undefined, ...limits, stream });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const dialer = new TunnelDialer({
    connect: () => through(connect(port, '127.0.0.1')),
    server: 'test',
  });
  cleanups.push(() => {
    dialer.close();
    server.close();
  });
  return dialer;
}

/** Accepts dials as connection 1, and hands other packets on. */
const accepting =
  (next: Script): Script =>
  (packet, packets) => {
    if (packet.type !== 'DIAL_REQ') return next(packet, packets);
    packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random: packet.random });
  };

const echo = accepting((packet, packets) => {
  if (packet.type === 'DATA') packets.send({ ...packet });
  if (packet.type === 'HALF_CLOSE' || packet.type === 'CLOSE_REQ')
    packets.send({ type: 'CLOSE_RSP', error: '', connectId: packet.connectId });
});

test('bytes go both ways, half-close is kept, and the stream ends', async () => {
  const { dialer, received, ended } = await serve(echo);
  const connection = await dialer.dial('kubernetes.default:443');
  const sent = Buffer.alloc(300_000, 'x');
  connection.end(sent);
  expect((await buffer(connection)).equals(sent)).toBe(true);
  await ended[0];
  expect(received[0]).toMatchObject({ type: 'DIAL_REQ', protocol: 'tcp', address: 'kubernetes.default:443' });
  expect(received.at(-1)).toEqual({ type: 'HALF_CLOSE', connectId: 1 });
  const sizes = received.flatMap((packet) => (packet.type === 'DATA' ? [packet.data.length] : []));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(maxSentDataBytes);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(sent.length);
});

test('a server without half-close gets CLOSE_REQ', async () => {
  const { dialer, received } = await serve(echo, {});
  const connection = await dialer.dial('a:1');
  connection.end('x');
  expect((await buffer(connection)).toString()).toBe('x');
  expect(received.map(({ type }) => type)).toEqual(['DIAL_REQ', 'DATA', 'CLOSE_REQ']);
});

test('bytes right after the response of the dial are read', async () => {
  const { dialer } = await serve((packet, packets) => {
    if (packet.type !== 'DIAL_REQ') return;
    packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random: packet.random });
    packets.send({ type: 'DATA', connectId: 1, error: '', data: Buffer.from('banner') });
    packets.send({ type: 'CLOSE_RSP', error: '', connectId: 1 });
  });
  expect((await buffer(await dialer.dial('a:1'))).toString()).toBe('banner');
});

test('an error at the end of a connection is an error of the connection', async () => {
  const { dialer } = await serve(
    accepting((packet, packets) =>
      packets.send({ type: 'CLOSE_RSP', error: 'the agent is gone', connectId: 1 }),
    ),
  );
  const connection = await dialer.dial('a:1');
  connection.write('x');
  await expect(buffer(connection)).rejects.toThrow('the agent is gone');
});

test.each<[string, Script]>([
  ['an error', (_packet, packets) => packets.send({ type: 'CLOSE_RSP', error: 'refused', connectId: 1 })],
  [
    'the end of the stream',
    (_packet, packets) => packets.fail(new GrpcError(grpcStatus.UNAVAILABLE, 'refused')),
  ],
  ['a reset of the stream', (_packet, packets) => packets.cancel()],
])(
  'a connection that fails with %s right after it opened, fails for whoever dialed it',
  async (_sentence, close) => {
    const { dialer } = await serve((packet, packets) => {
      if (packet.type !== 'DIAL_REQ') return;
      packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random: packet.random });
      close(packet, packets);
    });
    const dialed = dialer.dial('a:1');
    const failed = Promise.withResolvers<Error>();
    dialed.then((connection) => connection.on('error', failed.resolve), failed.resolve);
    expect(await failed.promise).toBeInstanceOf(Error);
  },
);

test('a connection that nobody reads stops its sender, and no other connection', async () => {
  const size = 8 * 1024 * 1024;
  let unsent: PacketStream | undefined;
  const { dialer } = await serve(
    accepting((packet, packets) => {
      if (packet.type !== 'DATA') return;
      const data = packet.data.length === 1 ? Buffer.alloc(64 * 1024) : Buffer.from(packet.data);
      unsent ??= packets;
      for (let sent = 0; sent < (packet.data.length === 1 ? size : 1); sent += data.length)
        packets.send({ type: 'DATA', connectId: 1, error: '', data });
    }),
  );
  const stopped = await dialer.dial('a:1');
  stopped.write('x');
  const other = await dialer.dial('b:1');
  other.write('hello');
  expect(String((await once(other, 'data'))[0])).toBe('hello');
  expect(unsent?.mustWait).toBe(true);
  expect(stopped.readableLength).toBeLessThan(2 * 1024 * 1024);
  for (const connection of [stopped, other]) connection.on('error', () => undefined);
});

test.each<[string, Script, Partial<TunnelDialError>]>([
  [
    'the text of the server',
    (packet, packets) => {
      if (packet.type === 'DIAL_REQ')
        packets.send({ type: 'DIAL_RSP', error: 'No agent available', connectId: 0, random: packet.random });
    },
    { reason: 'endpoint', message: 'No agent available' },
  ],
  [
    'a dial that the server closes',
    (packet, packets) => {
      if (packet.type === 'DIAL_REQ') packets.send({ type: 'DIAL_CLS', random: packet.random });
    },
    { reason: 'closed', message: 'dial closed' },
  ],
  [
    'a stream that ends with a status',
    (_packet, packets) => packets.fail(new GrpcError(grpcStatus.UNAVAILABLE, 'stopping: 100 %')),
    { reason: 'closed', message: 'stopping: 100 %' },
  ],
])('a dial fails with %s', async (_sentence, script, expected) => {
  const { dialer } = await serve(script);
  await expect(dialer.dial('a:1')).rejects.toMatchObject(expected);
});

test('a stream that is refused fails the dial with the status', async () => {
  const dialer = await listen((stream) =>
    refuseStream(stream, new GrpcError(grpcStatus.UNIMPLEMENTED, 'unknown service')),
  );
  await expect(dialer.dial('a:1')).rejects.toMatchObject({ reason: 'closed', message: 'unknown service' });
});

/** Holds the bytes of a server from the headers of a stream to its reset: they arrive as one chunk. */
function heldUntilReset(socket: Duplex): Duplex {
  const [near, far] = duplexPair();
  const held: Buffer[] = [];
  let isHolding = false;
  const scanner = new FrameScanner(
    {
      begin({ type }) {
        isHolding ||= type === frameTypes.headers;
        return type === frameTypes.resetStream ? 'whole' : 'pass';
      },
      pass: () => undefined,
      payload: () => undefined,
      whole: () => (isHolding = false),
    },
    0,
  );
  far.pipe(socket);
  socket.on('data', (chunk: Buffer) => {
    held.push(chunk);
    scanner.add(chunk);
    if (!isHolding) far.write(Buffer.concat(held.splice(0)));
  });
  return near;
}

test('a dial fails with the text of the server, although its stream is reset in the same bytes', async () => {
  const { dialer } = await serve(
    (packet, packets) => {
      if (packet.type !== 'DIAL_REQ') return;
      packets.send({ type: 'DIAL_RSP', error: 'connection refused', connectId: 0, random: packet.random });
      packets.end();
    },
    undefined,
    heldUntilReset,
  );
  await expect(dialer.dial('a:1')).rejects.toMatchObject({
    reason: 'endpoint',
    message: 'connection refused',
  });
});

test('a canceled dial is told to the server', async () => {
  const stop = new AbortController();
  const { dialer, received, ended } = await serve(() => stop.abort());
  await expect(dialer.dial('a:1', stop.signal)).rejects.toMatchObject({ reason: 'canceled' });
  await ended[0];
  expect(received.map(({ type }) => type)).toEqual(['DIAL_REQ', 'DIAL_CLS']);
});

test('a server that cannot be reached is named', async () => {
  const dialer = new TunnelDialer({
    connect: () => connect('/nowhere/tunnel.sock'),
    server: '/nowhere/tunnel.sock',
  });
  const failed = dialer.dial('a:1');
  await expect(failed).rejects.toThrow(TunnelDialError);
  await expect(failed).rejects.toMatchObject({
    reason: 'connect',
    message: 'cannot reach /nowhere/tunnel.sock: connect ENOENT /nowhere/tunnel.sock',
  });
});

const holdTimers = (): void => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
};

test('a dial without a response fails after tunnelDialTimeoutMs, and the server is told', async () => {
  holdTimers();
  const requested = Promise.withResolvers<void>();
  const { dialer, received, ended } = await serve(() => requested.resolve());
  const dialed = dialer.dial('a:1').catch((error: TunnelDialError) => error.reason);
  await requested.promise;
  await vi.advanceTimersByTimeAsync(tunnelDialTimeoutMs);
  expect(await dialed).toBe('timeout');
  await ended[0];
  expect(received.map(({ type }) => type)).toEqual(['DIAL_REQ', 'DIAL_CLS']);
});

test('the dial after one without a response uses another connection, and open ones continue', async () => {
  let connections = 0;
  const silent = Promise.withResolvers<void>();
  const { dialer } = await serve(
    (packet, packets) => {
      if (packet.type === 'DIAL_REQ' && packet.address === 'silent:1') return silent.resolve();
      return echo(packet, packets);
    },
    undefined,
    (socket) => {
      connections++;
      return socket;
    },
  );
  const open = await dialer.dial('a:1');
  holdTimers();
  const dialed = dialer.dial('silent:1').catch((error: TunnelDialError) => error.reason);
  await silent.promise;
  await vi.advanceTimersByTimeAsync(tunnelDialTimeoutMs);
  expect(await dialed).toBe('timeout');
  expect(connections).toBe(1);
  const next = await dialer.dial('b:1');
  expect(connections).toBe(2);
  for (const connection of [open, next]) {
    connection.write('x');
    expect(String((await once(connection, 'data'))[0])).toBe('x');
  }
  const closed = [open, next].map((connection) => once(connection, 'error'));
  dialer.close();
  await Promise.all(closed);
});

/** A server that accepts dials but the first ones, at which it goes away. */
async function serveLeaving(leaves: number) {
  const sessions: (Http2Session | undefined)[] = [];
  const dialer = await listen((stream) => {
    const packets = acceptStream(stream);
    packets.start({
      packet(packet) {
        if (packet.type !== 'DIAL_REQ') return;
        if (sessions.push(stream.session) <= leaves) stream.session?.destroy();
        else packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random: packet.random });
      },
      closed: () => undefined,
    });
  });
  return { sessions, dial: async () => (await dialer.dial('a:1')).on('error', () => undefined) };
}

test('a dial whose server is gone is sent once more, on another connection', async () => {
  const { dial, sessions } = await serveLeaving(1);
  await dial();
  expect(new Set(sessions).size).toBe(2);
});

test('a dial that crosses the GOAWAY of its server is sent once more, on another connection', async () => {
  const { dial, sessions } = await serveLeaving(0);
  await dial();
  sessions[0]?.close();
  await dial();
  expect(new Set(sessions).size).toBe(2);
});

test('a dial is not sent a third time', async () => {
  const { dial, sessions } = await serveLeaving(2);
  await expect(dial()).rejects.toMatchObject({ reason: 'closed' });
  expect(sessions).toHaveLength(2);
});

test('a stream that the server does not end is reset after streamEndTimeoutMs', async () => {
  const reset = Promise.withResolvers<number | undefined>();
  const ended = Promise.withResolvers<void>();
  const dialer = await listen((stream) => {
    stream.once('close', () => reset.resolve(stream.rstCode));
    const packets = acceptStream(stream);
    packets.start({
      packet: (packet) =>
        packet.type === 'DIAL_REQ' &&
        packets.send({ type: 'DIAL_RSP', error: '', connectId: 1, random: packet.random }),
      ended: () => ended.resolve(),
      closed: () => undefined,
    });
  });
  const connection = await dialer.dial('a:1');
  holdTimers();
  connection.destroy();
  await ended.promise;
  await vi.advanceTimersByTimeAsync(streamEndTimeoutMs);
  expect(await reset.promise).toBe(constants.NGHTTP2_CANCEL);
});

test('connections that nobody reads do not use up the window of the others', async () => {
  const { dialer } = await serve(
    accepting((packet, packets) => {
      if (packet.type !== 'DATA' || String(packet.data) !== 'all') return;
      for (let sent = 0; sent < streamWindowBytes; sent += maxSentDataBytes)
        packets.send({ type: 'DATA', connectId: 1, error: '', data: Buffer.alloc(maxSentDataBytes) });
    }),
  );
  const open = async () => {
    const connection = await dialer.dial('a:1');
    // The end of the test closes the tunnel.
    connection.on('error', () => undefined);
    return connection;
  };
  for (let unread = 0; unread <= connectionWindowBytes; unread += streamWindowBytes)
    (await open()).write('all');
  await expect(open()).resolves.toBeDefined();
});
