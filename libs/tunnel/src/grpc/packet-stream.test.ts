import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { Duplex } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { maxPacketBytes, maxUnreadResponsesBytes, maxUnsentStreamBytes } from '../limits.ts';
import type { PacketOf, ReceivedPacket } from '../packet/packet.ts';
import { type AcceptOptions, acceptStream } from './accept-stream.ts';
import { openStream } from './open-stream.ts';
import type { PacketStream } from './packet-stream.ts';
import { connectSession } from './sessions.ts';
import { GrpcError, grpcStatus } from './status.ts';
import { createStreamServer } from './stream-server.ts';
import { FramedConnection, maxUnreadConnectionBytes } from '../frames/framed-connection.ts';

const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()));

/** Connects to a server, which does this with every stream. */
async function session(
  onStream: (packets: PacketStream) => void,
  options?: AcceptOptions,
): Promise<ClientHttp2Session> {
  const server = createStreamServer({
    tls: undefined,
    maxStreams: 10,
    maxConnections: 10,
    firstStreamMs: 5_000,
    stream: (stream) => onStream(acceptStream(stream, options)),
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connectSession(() => connect((server.address() as AddressInfo).port, '127.0.0.1'));
  cleanups.push(() => {
    client.destroy();
    server.close();
  });
  return client;
}

const data = (bytes: number): PacketOf<'DATA'> => ({
  type: 'DATA',
  connectId: 1,
  error: '',
  data: Buffer.alloc(bytes),
});
const ignore = { packet: () => undefined, closed: () => undefined };

/** Opens a stream; resolves to the error of its status. */
async function statusAfter(client: ClientHttp2Session, send: (packets: PacketStream) => void) {
  const stream = openStream(client, '/test');
  const { promise, resolve } = Promise.withResolvers<Error | undefined>();
  stream.onStatus(resolve);
  stream.packets.start({ packet: () => undefined, closed: resolve });
  send(stream.packets);
  return await promise;
}

test('a packet of more than maxPacketBytes ends the stream, and no other', async () => {
  const client = await session((packets) => packets.start({ ...ignore, ended: () => packets.end() }));
  const error = await statusAfter(client, (packets) => packets.send(data(maxPacketBytes)));
  expect(error?.message).toBe(`grpc: received message larger than max (4194318 vs. ${maxPacketBytes})`);
  expect(await statusAfter(client, (packets) => packets.end())).toBeUndefined();
});

test('a receiver that throws ends the stream with its error', async () => {
  const client = await session((packets) =>
    packets.start({
      ...ignore,
      packet() {
        throw new Error('unexpected');
      },
    }),
  );
  const error = await statusAfter(client, (packets) => packets.send({ type: 'DRAIN' }));
  expect(error).toMatchObject({ code: 13, message: 'unexpected' });
});

test.each<[sentence: string, message: string, received: string]>([
  ['as it is', '100 % – done', '100 % – done'],
  ['in a length of two bytes', 'a'.repeat(200), 'a'.repeat(200)],
  ['in a length of three bytes', 'a'.repeat(1_024), 'a'.repeat(1_024)],
  ['cut after 1,024 characters', 'a'.repeat(2_000), 'a'.repeat(1_024)],
])('the message of a status arrives %s', async (_sentence, message, received) => {
  const client = await session((packets) => packets.fail(new GrpcError(grpcStatus.UNKNOWN, message)));
  const error = await statusAfter(client, () => undefined);
  expect(error).toMatchObject({ code: grpcStatus.UNKNOWN, message: received });
});

test('headers that wait for the first packet arrive with it, and before the status', async () => {
  const opened = Promise.withResolvers<PacketStream>();
  const client = await session(opened.resolve, { isLate: true, metadata: { extra: 'yes' } });
  const received: string[] = [];
  const stream = openStream(client, '/test');
  stream.headers.then(({ extra }) => received.push(`headers ${String(extra)}`)).catch(() => undefined);
  const closed = new Promise<void>((resolve) => {
    stream.packets.start({ packet: ({ type }) => received.push(type), closed: () => resolve() });
  });
  const packets = await opened.promise;
  packets.start(ignore);
  expect(received).toEqual([]);
  packets.send({ type: 'DRAIN' });
  packets.end();
  stream.packets.end();
  await closed;
  expect(received.toSorted()).toEqual(['DRAIN', 'headers yes']);
});

test('a sender waits after maxUnsentStreamBytes until its reader continues', async () => {
  let received = 0;
  const opened = Promise.withResolvers<PacketStream>();
  const client = await session((packets) => {
    packets.start({
      ...ignore,
      packet: (packet) => void (received += packet.type === 'DATA' ? packet.data.length : 0),
    });
    packets.pause();
    opened.resolve(packets);
  });
  const { packets } = openStream(client, '/test');
  packets.start(ignore);
  let sent = 0;
  for (; !packets.mustWait; sent++) packets.send(data(64 * 1024));
  expect(sent * 64 * 1024).toBeLessThanOrEqual(maxUnsentStreamBytes);
  const reader = await opened.promise;
  await expect.poll(() => packets.mustWait).toBe(false);
  for (; !packets.mustWait; sent++) packets.send(data(64 * 1024));
  const drained = new Promise<void>((resolve) => packets.whenDrained(resolve));
  reader.resume();
  await drained;
  await expect.poll(() => received).toBe(sent * 64 * 1024);
});

test('two peers that both send much do not wait for each other', async () => {
  const size = 32 * 1024 * 1024;
  const send = (packets: PacketStream, left = size) => {
    while (left > 0 && !packets.mustWait) {
      packets.send(data(64 * 1024));
      left -= 64 * 1024;
    }
    if (left > 0) packets.whenDrained(() => send(packets, left));
  };
  const counts = { server: 0, client: 0 };
  const count = (side: keyof typeof counts) => ({
    ...ignore,
    packet: (packet: ReceivedPacket) =>
      void (counts[side] += packet.type === 'DATA' ? packet.data.length : 0),
  });
  const client = await session((packets) => {
    packets.start(count('server'));
    send(packets);
  });
  const { packets } = openStream(client, '/test');
  packets.start(count('client'));
  send(packets);
  await expect.poll(() => counts, { timeout: 20_000 }).toEqual({ server: size, client: size });
});

test('a peer that does not read is disconnected at maxUnreadConnectionBytes', async () => {
  const connection = new FramedConnection(
    new Duplex({ read: () => undefined, write: () => undefined }),
    'server',
  );
  const failed = once(connection, 'error');
  for (let bytes = 0; bytes <= maxUnreadConnectionBytes; bytes += 1024 * 1024)
    connection.write(Buffer.alloc(1024 * 1024));
  expect((await failed)[0]).toMatchObject({ message: 'the peer does not read' });
});

test('a stream whose peer does not read maxUnreadResponsesBytes of responses ends', async () => {
  const responded = Promise.withResolvers<PacketStream>();
  const client = await session((packets) => {
    packets.start(ignore);
    responded.resolve(packets);
  });
  const error = statusAfter(client, (packets) => {
    packets.pause();
    packets.send({ type: 'DRAIN' });
  });
  const packets = await responded.promise;
  const response = { type: 'CLOSE_RSP', error: 'x'.repeat(1000), connectId: 1 } as const;
  let bytes = 0;
  for (; !packets.isClosed; bytes += 1000) packets.respond(response);
  expect(bytes).toBeGreaterThan(maxUnreadResponsesBytes - 100_000);
  expect(bytes).toBeLessThan(maxUnreadResponsesBytes + 100_000);
  expect((await error)?.message).toBe('the peer does not read the responses to its packets');
});

test('responses that are sent do not add up', async () => {
  const client = await session((packets) =>
    packets.start({
      ...ignore,
      packet: () => packets.respond({ type: 'CLOSE_RSP', error: 'x'.repeat(100_000), connectId: 1 }),
      ended: () => packets.end(),
    }),
  );
  const { packets } = openStream(client, '/test');
  let received = 0;
  const { promise: isOver, resolve } = Promise.withResolvers<Error | undefined>();
  packets.start({
    packet() {
      if (++received > (2 * maxUnreadResponsesBytes) / 100_000) packets.end();
      else packets.send({ type: 'DRAIN' });
    },
    closed: resolve,
  });
  packets.send({ type: 'DRAIN' });
  expect(await isOver).toBeUndefined();
});
