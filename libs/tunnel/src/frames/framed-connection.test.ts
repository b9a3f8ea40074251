import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { type Duplex, duplexPair } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { connectionWindowBytes, maxFrameBytes, maxUnsentSocketBytes, streamWindowBytes } from '../limits.ts';
import { endFrame, frameFlags, frameHeader, type FrameHeader, frameTypes, prefaceBytes } from './frame.ts';
import { FramedConnection } from './framed-connection.ts';
import { FrameScanner } from './frame-scanner.ts';
import { trailersFrame } from './trailers.ts';

const quickly = { interval: 5 };
const opened: FramedConnection[] = [];
afterEach(() => opened.splice(0).forEach((connection) => connection.destroy()));

type Frame = Partial<FrameHeader> & { payload?: Uint8Array };

function frame({ payload = Buffer.alloc(0), ...header }: Frame): Buffer {
  const { type = frameTypes.data, flags = 0, streamId = 1, length = payload.length } = header;
  return Buffer.concat([frameHeader({ type, flags, streamId, length }), payload]);
}

const headers = (streamId = 1): Buffer => frame({ type: frameTypes.headers, streamId });
const increment = (bytes: number): Uint8Array => Buffer.from(bytes.toString(16).padStart(8, '0'), 'hex');

/** A connection of a server with the stream 1, its peer, and the frames that the peer receives. */
async function serve(maxStreams = 10) {
  const [socket, peer] = duplexPair();
  const connection = new FramedConnection(socket, 'server', maxStreams);
  opened.push(connection);
  connection.on('error', () => undefined);
  const toSession: Buffer[] = [];
  connection.on('data', (chunk: Buffer) => toSession.push(chunk));
  peer.write(Buffer.concat([Buffer.alloc(prefaceBytes), headers()]));
  await expect.poll(() => Buffer.concat(toSession).length, quickly).toBe(prefaceBytes + 9);
  return { connection, peer, toSession, frames: framesOf(peer) };
}

function framesOf(peer: Duplex): { header: FrameHeader; payload: Buffer }[] {
  const frames: { header: FrameHeader; payload: Buffer }[] = [];
  const scanner = new FrameScanner(
    {
      begin: () => 'whole',
      pass: () => undefined,
      payload: () => undefined,
      whole: (header, bytes) => void frames.push({ header, payload: bytes.subarray(9) }),
    },
    0,
  );
  peer.on('data', (chunk: Buffer) => scanner.add(chunk));
  return frames;
}

const received = (connection: FramedConnection, id = 1): Buffer[] => {
  const chunks: Buffer[] = [];
  connection.open(id).read((chunk) => void chunks.push(chunk));
  return chunks;
};

describe('what arrives', () => {
  test('data goes to its stream, and only the end of the stream to the session', async () => {
    const { connection, peer, toSession } = await serve();
    peer.write(frame({ payload: Buffer.from('early ') }));
    const chunks = received(connection);
    peer.write(frame({ payload: Buffer.from('late'), flags: frameFlags.endStream }));
    await expect.poll(() => Buffer.concat(toSession).subarray(prefaceBytes + 9)).toEqual(endFrame(1));
    expect(Buffer.concat(chunks).toString()).toBe('early late');
  });

  test('padding is no data', async () => {
    const { connection, peer } = await serve();
    const chunks = received(connection);
    peer.write(frame({ payload: Buffer.from('\x03data\0\0\0'), flags: frameFlags.padded }));
    peer.write(frame({ payload: Buffer.from('.') }));
    await expect.poll(() => Buffer.concat(chunks).toString()).toBe('data.');
  });

  test('what was read may be sent again, on the stream and on the connection', async () => {
    const { connection, peer, frames } = await serve();
    received(connection);
    const granted = (id: number) =>
      frames
        .filter(({ header: { type, streamId } }) => type === frameTypes.windowUpdate && streamId === id)
        .reduce((sum, { payload }) => sum + payload.readUInt32BE(), 0);
    const part = streamWindowBytes / 2;
    for (let sent = part; sent <= connectionWindowBytes / 4; sent += part) {
      for (let i = 0; i < part / maxFrameBytes; i++)
        peer.write(frame({ payload: Buffer.alloc(maxFrameBytes) }));
      await expect.poll(() => granted(1), quickly).toBe(sent);
    }
    await expect.poll(() => granted(0)).toBe(connectionWindowBytes / 4);
  });

  test('a paused stream keeps its data, also when HTTP/2 has closed it', async () => {
    const { connection, peer } = await serve();
    const stream = connection.open(1);
    stream.pause();
    const chunks = received(connection);
    peer.write(frame({ payload: Buffer.from('kept') }));
    await expect.poll(() => stream.unreadBytes).toBe(4);
    stream.release();
    const delivered = new Promise<void>((resolve) => stream.whenDelivered(resolve));
    stream.resume();
    await delivered;
    expect(String(Buffer.concat(chunks))).toBe('kept');
  });

  test('the end of the connection ends the wait for a paused stream', async () => {
    const { connection, peer } = await serve();
    const stream = connection.open(1);
    stream.pause();
    stream.read(() => undefined);
    peer.write(frame({ payload: Buffer.from('lost') }));
    await expect.poll(() => stream.unreadBytes).toBe(4);
    stream.release();
    const delivered = new Promise<void>((resolve) => stream.whenDelivered(resolve));
    connection.destroy();
    await delivered;
  });

  test('data of streams beyond the limit goes to the session, which refuses them', async () => {
    const { peer, toSession } = await serve(1);
    const refused = Buffer.concat([headers(3), frame({ streamId: 3, payload: Buffer.from('x') })]);
    peer.write(refused);
    await expect.poll(() => Buffer.concat(toSession).subarray(prefaceBytes + 9)).toEqual(refused);
  });
});

test.each<[string, readonly Frame[], string]>([
  ['a frame above maxFrameBytes', [{ length: maxFrameBytes + 1 }], 'a frame is too large'],
  [
    'more than the window of a stream',
    Array.from({ length: streamWindowBytes / maxFrameBytes + 1 }, () => ({
      payload: Buffer.alloc(maxFrameBytes),
    })),
    'the peer exceeds its window',
  ],
  [
    'padding longer than its frame',
    [{ payload: Buffer.from('\x09data'), flags: frameFlags.padded }],
    'the padding of a frame is invalid',
  ],
  [
    'an empty window update',
    [{ type: frameTypes.windowUpdate, payload: increment(0) }],
    'a window update is invalid',
  ],
  [
    'a window above 2^31 - 1 for a stream',
    [{ type: frameTypes.windowUpdate, payload: increment(0x7fffffff) }],
    'a window is too large',
  ],
  [
    'a window above 2^31 - 1 for the connection',
    [{ type: frameTypes.windowUpdate, payload: increment(0x7fffffff), streamId: 0 }],
    'a window is too large',
  ],
])('%s ends the connection', async (_what, frames, message) => {
  const { connection, peer } = await serve();
  const failed = once(connection, 'error');
  for (const each of frames) peer.write(frame(each));
  expect((await failed)[0]).toMatchObject({ message });
});

describe('what is sent', () => {
  const dataBytes = (frames: { header: FrameHeader }[], id = 1): number =>
    frames
      .filter(({ header: { type, streamId } }) => type === frameTypes.data && streamId === id)
      .reduce((sum, { header }) => sum + header.length, 0);

  test('data waits for the headers of its stream', async () => {
    const { connection, frames } = await serve();
    connection.open(1).write(Buffer.from('data'));
    const flushed = new Promise<void>((resolve) => connection.open(1).whenFlushed(resolve));
    connection.write(headers());
    await flushed;
    await expect
      .poll(() => frames.map(({ header }) => header.type))
      .toEqual([frameTypes.headers, frameTypes.data]);
  });

  test('data waits for the window, in frames of the size that the peer takes', async () => {
    const { connection, peer, frames } = await serve();
    connection.write(headers());
    const stream = connection.open(1);
    stream.write(Buffer.alloc(100_000));
    await expect.poll(() => dataBytes(frames)).toBe(65_535);
    expect(Math.max(...frames.map(({ header }) => header.length))).toBe(16_384);
    expect(stream.queuedBytes).toBe(100_000 - 65_535);
    peer.write(frame({ type: frameTypes.windowUpdate, payload: increment(10_000) }));
    peer.write(frame({ type: frameTypes.windowUpdate, payload: increment(100_000), streamId: 0 }));
    await expect.poll(() => dataBytes(frames)).toBe(75_535);
    // INITIAL_WINDOW_SIZE is raised by 20,000, MAX_FRAME_SIZE to 20,000.
    const settings = Buffer.from('000400014e1f000500004e20', 'hex');
    peer.write(frame({ type: frameTypes.settings, payload: settings, streamId: 0 }));
    await expect.poll(() => dataBytes(frames)).toBe(95_535);
    expect(frames.at(-1)?.header.length).toBe(20_000);
  });

  test('data waits while maxUnsentSocketBytes are not read', async () => {
    const [socket, peer] = duplexPair();
    const connection = new FramedConnection(socket, 'server', 1);
    opened.push(connection);
    peer.write(Buffer.concat([Buffer.alloc(prefaceBytes), headers()]));
    const windows = [0, 1].map((streamId) => ({
      type: frameTypes.windowUpdate,
      payload: increment(maxUnsentSocketBytes * 4),
      streamId,
    }));
    for (const each of windows) peer.write(frame(each));
    connection.resume();
    const stream = connection.open(1);
    connection.write(headers());
    stream.write(Buffer.alloc(maxUnsentSocketBytes * 3));
    await expect.poll(() => stream.queuedBytes, quickly).toBeLessThanOrEqual(maxUnsentSocketBytes * 2);
    expect(stream.queuedBytes).toBeGreaterThan(maxUnsentSocketBytes);
    peer.resume();
    await expect.poll(() => stream.queuedBytes).toBe(0);
  });

  test('streams take turns', async () => {
    const { connection, peer, frames } = await serve();
    peer.write(headers(3));
    connection.write(Buffer.concat([headers(1), headers(3)]));
    for (const id of [1, 3]) connection.open(id).write(Buffer.alloc(65_535));
    await expect.poll(() => dataBytes(frames) + dataBytes(frames, 3)).toBe(65_535);
    expect(dataBytes(frames)).toBeLessThan(40_000);
  });

  test('a stream that the peer resets sends no more', async () => {
    const { connection, peer, toSession } = await serve();
    const stream = connection.open(1);
    stream.read(() => undefined);
    stream.write(Buffer.from('data'));
    peer.write(frame({ type: frameTypes.resetStream, payload: increment(8) }));
    await expect.poll(() => Buffer.concat(toSession).length).toBe(prefaceBytes + 9 + 13);
    expect(stream.queuedBytes).toBe(0);
  });

  test('trailers take the place of the empty frame that ends a stream', async () => {
    const { connection, frames } = await serve();
    let ended = 0;
    Object.assign(connection.open(1), { trailers: () => trailersFrame(1, { a: 'b' }), onEnd: () => ended++ });
    const ping = frame({ type: 6, streamId: 0, payload: Buffer.alloc(8) });
    connection.write(Buffer.concat([headers(), ping, endFrame(1), ping]));
    await expect.poll(() => frames.map(({ header }) => header.type)).toEqual([1, 6, 1, 6]);
    expect(frames[2]).toEqual({
      header: { type: 1, flags: frameFlags.endStream | frameFlags.endHeaders, streamId: 1, length: 5 },
      payload: Buffer.from('\0\x01a\x01b'),
    });
    expect(ended).toBe(1);
  });

  test('an empty frame in two writes ends a connection with trailers', async () => {
    const { connection } = await serve();
    connection.open(1).trailers = () => trailersFrame(1, {});
    const failed = once(connection, 'error');
    connection.write(endFrame(1).subarray(0, 4));
    connection.write(endFrame(1).subarray(4));
    expect((await failed)[0]).toMatchObject({ message: 'the end of a stream is divided' });
  });

  test('data of a stream that is flushed is written in this turn', async () => {
    const { connection, peer } = await serve();
    const chunks: Buffer[] = [];
    peer.removeAllListeners('data').on('data', (chunk: Buffer) => void chunks.push(chunk));
    const stream = connection.open(1);
    connection.write(headers());
    await expect.poll(() => chunks.length, quickly).toBe(1);
    stream.write(Buffer.from('data'));
    stream.flush();
    expect(stream.queuedBytes).toBe(0);
    connection.write(endFrame(1));
    await expect.poll(() => chunks.at(-1)).toEqual(endFrame(1));
    expect(Buffer.concat(chunks).toString()).toContain('data');
  });
});
