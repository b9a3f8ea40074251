import type { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';
import { connectionWindowBytes, maxFrameBytes, maxUnsentSocketBytes, streamWindowBytes } from '../limits.ts';
import { DataStream, type StreamOwner } from './data-stream.ts';
import {
  defaultFrameBytes,
  defaultWindowBytes,
  endFrame,
  frameFlags,
  type FrameHeader,
  frameHeaderBytes,
  frameTypes,
  largestWindowBytes,
  prefaceBytes,
  readFrameHeader,
  settingIds,
  windowUpdate,
} from './frame.ts';
import { FrameScanner, type FrameUse } from './frame-scanner.ts';

/**
 * Bytes that wait for a peer that does not read. Data waits in its stream; what exceeds it are responses to a flood of pings or
 * settings.
 */
export const maxUnreadConnectionBytes = 4 * 1024 * 1024;

/** Which side of a connection this process is. */
export type Side = 'client' | 'server';

const settingBytes = 6;

/** A window update is sent for a fourth of a window. */
const grantShare = 4;

/**
 * The connection of an HTTP/2 session, for which it handles the DATA frames: the session sees only headers and the end of a stream.
 * Writes of the session never block. Node's HTTP/2 does not read while a write is blocked: two peers that both send much would
 * wait for each other forever.
 */
export class FramedConnection extends Duplex implements StreamOwner {
  readonly #socket: Duplex & { bytesRead?: number };
  readonly #side: Side;
  readonly #maxStreams: number;
  readonly #incoming: FrameScanner;
  readonly #outgoing: FrameScanner;
  readonly #streams = new Map<number, DataStream>();
  /** Streams that can send, in turns. */
  readonly #ready = new Set<DataStream>();
  /** Streams whose peers may send more. */
  readonly #due = new Set<DataStream>();
  /** Streams that HTTP/2 has closed, and that were not read to their end. */
  readonly #lingering = new Set<DataStream>();
  /** Bytes of all streams that arrived, and that the peer was not told of. */
  #credit = 0;
  /** Bytes of all streams that the peer sent and may not yet send again. */
  #used = 0;
  #sendWindow = defaultWindowBytes;
  #initialWindow = defaultWindowBytes;
  #maxFrame = defaultFrameBytes;
  /** Stream ids rise: a client sent the HEADERS of this one and all below. */
  #lastSent = 0;
  #lastReceived = 0;
  #isScheduled = false;
  /** The ends of streams with trailers in the bytes of the session that are being written. */
  readonly #ends: Buffer[] = [];

  /** At most this many streams of the peer are handled; HTTP/2 refuses further ones. */
  constructor(socket: Duplex, side: Side, maxStreams = 0) {
    super();
    this.#socket = socket;
    this.#side = side;
    this.#maxStreams = maxStreams;
    this.#incoming = new FrameScanner(this.#incomingSink, side === 'server' ? prefaceBytes : 0);
    this.#outgoing = new FrameScanner(this.#outgoingSink, side === 'client' ? prefaceBytes : 0);
    socket.on('data', (chunk: Buffer) => {
      if (!this.destroyed) this.#incoming.add(chunk);
    });
    socket.on('drain', () => this.#schedule());
    socket.once('end', () => this.#peerEnded());
    socket.once('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  get bytesRead(): number {
    return this.#socket.bytesRead ?? 0;
  }

  /** The data of a stream of the session; 0 is the id of one that has none yet. */
  open(id: number): DataStream {
    const known = this.#streams.get(id);
    if (known !== undefined) return known;
    const stream = new DataStream(this, this.#initialWindow);
    if (id !== 0) this.assign(stream, id);
    return stream;
  }

  /** Gives a stream the id that the session has chosen. */
  assign(stream: DataStream, id: number): void {
    stream.id = id;
    stream.isOpen = id <= this.#lastSent;
    this.#streams.set(id, stream);
    this.wake(stream);
  }

  /** The session has refused or closed a stream. */
  close(id: number): void {
    const stream = this.#streams.get(id);
    stream?.drop();
    stream?.release();
  }

  wake(stream: DataStream): void {
    if (!stream.canSend || this.#ready.has(stream)) return;
    this.#ready.add(stream);
    this.#schedule();
  }

  flush(stream: DataStream): void {
    if (this.destroyed || this.#socket.destroyed || !this.#outgoing.isBetweenFrames) return;
    this.#schedule();
    while (stream.canSend && this.#canSend) this.#writeFrame(stream);
    if (!stream.canSend) this.#ready.delete(stream);
    stream.sent();
  }

  consumed(stream: DataStream, bytes: number): void {
    stream.consumed(bytes);
    if (stream.credit >= streamWindowBytes / grantShare && this.#streams.has(stream.id))
      this.#due.add(stream);
    if (this.#due.size > 0) this.#schedule();
  }

  /** Streams that nobody reads have windows of their own: they must not use up that of the connection. */
  #received(bytes: number): void {
    this.#credit += bytes;
    if (this.#isCreditDue) this.#schedule();
  }

  forget(stream: DataStream): void {
    this.#streams.delete(stream.id);
    this.#ready.delete(stream);
    this.#due.delete(stream);
    if (stream.unreadBytes === 0) return;
    if (this.destroyed) stream.drop();
    else this.#lingering.add(stream);
  }

  delivered(stream: DataStream): void {
    this.#lingering.delete(stream);
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#schedule();
    this.#toPeer(chunk);
    done(this.#overflow());
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#schedule();
    for (const { chunk } of chunks) this.#toPeer(chunk);
    done(this.#overflow());
  }

  override _final(done: () => void): void {
    this.#socket.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    for (const stream of this.#lingering) stream.drop();
    this.#streams.clear();
    this.#ready.clear();
    this.#due.clear();
    // The last frame of the session may be the reason for its end.
    if (this.#isScheduled) this.#socket.uncork();
    this.#socket.destroy();
    done(error);
  }

  #overflow(): Error | undefined {
    return this.#socket.writableLength > maxUnreadConnectionBytes
      ? new Error('the peer does not read')
      : undefined;
  }

  readonly #outgoingSink = {
    begin: ({ type, flags, streamId, length }: FrameHeader): FrameUse => {
      if (type === frameTypes.headers) this.#headersSent(streamId);
      else if (type === frameTypes.resetStream) this.close(streamId);
      const isEnd = type === frameTypes.data && (flags & frameFlags.endStream) !== 0 && length === 0;
      return isEnd && this.#streams.get(streamId)?.trailers !== undefined ? 'whole' : 'pass';
    },
    pass: () => undefined,
    whole: (_frame: FrameHeader, bytes: Buffer): void => void this.#ends.push(bytes),
    payload: () => undefined,
  };

  /** Passes bytes of the session on; trailers take the place of the empty frames that end their streams. */
  #toPeer(chunk: Buffer): void {
    this.#outgoing.add(chunk);
    let from = 0;
    for (const header of this.#ends.splice(0)) {
      const at = header.byteOffset - chunk.byteOffset;
      const isInside = header.buffer === chunk.buffer && at >= from && at + header.length <= chunk.length;
      // The session writes such a frame as a whole.
      if (!isInside) return this.#fail('the end of a stream is divided');
      if (at > from) this.#socket.write(chunk.subarray(from, at));
      const stream = this.#streams.get(readFrameHeader(header, 0).streamId);
      if (stream?.trailers !== undefined) this.#socket.write(stream.trailers());
      stream?.onEnd?.();
      from = at + header.length;
    }
    if (from < chunk.length) this.#socket.write(from === 0 ? chunk : chunk.subarray(from));
  }

  #headersSent(id: number): void {
    if (this.#side === 'client') this.#lastSent = Math.max(this.#lastSent, id);
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.isOpen = true;
    this.wake(stream);
  }

  readonly #incomingSink = {
    begin: (frame: FrameHeader): FrameUse => {
      const { type, flags, streamId, length } = frame;
      if (type === frameTypes.data && this.#streams.has(streamId)) return this.#dataBegins(frame);
      if (type === frameTypes.headers) this.#headersReceived(streamId, flags);
      else if (type === frameTypes.resetStream) this.#streams.get(streamId)?.reset();
      const isSettings = type === frameTypes.settings && (flags & frameFlags.ack) === 0;
      const isWanted = isSettings || type === frameTypes.windowUpdate;
      // The session refuses frames that are too large.
      return isWanted && length <= defaultFrameBytes ? 'whole' : 'pass';
    },
    pass: (bytes: Buffer): void => this.#toSession(bytes),
    whole: (frame: FrameHeader, bytes: Buffer): void => {
      if (frame.type === frameTypes.windowUpdate) return this.#windowUpdate(frame, bytes);
      if (frame.type === frameTypes.data) return this.#padded(frame, bytes.subarray(frameHeaderBytes));
      this.#settings(bytes);
      this.#toSession(bytes);
    },
    payload: (frame: FrameHeader, bytes: Buffer, isLast: boolean): void => this.#data(frame, bytes, isLast),
  };

  /**
   * The peer sends no more. The session reads what has arrived, and is closed. It does not see an end: Node's HTTP/2 would end its
   * side, and fail an assertion if a stream closes meanwhile.
   */
  #peerEnded(): void {
    if (this.readableLength === 0) this.destroy();
    else this.on('data', () => process.nextTick(() => this.readableLength === 0 && this.destroy()));
  }

  #toSession(bytes: Buffer): void {
    if (!this.push(bytes)) this.#socket.pause();
  }

  /** A stream may have data before the session reports it. */
  #headersReceived(id: number, flags: number): void {
    if (this.#side === 'client' || id <= this.#lastReceived) return;
    this.#lastReceived = id;
    if ((flags & frameFlags.endStream) === 0 && this.#streams.size < this.#maxStreams) this.open(id);
  }

  #dataBegins({ length, flags, streamId }: FrameHeader): FrameUse {
    if (length > maxFrameBytes) this.#fail('a frame is too large');
    this.#used += length;
    const isWithin = this.#streams.get(streamId)?.received(length) ?? true;
    if (!isWithin || this.#used > connectionWindowBytes) this.#fail('the peer exceeds its window');
    return (flags & frameFlags.padded) === 0 ? 'payload' : 'whole';
  }

  #data({ streamId, flags }: FrameHeader, data: Buffer, isLast: boolean): void {
    const stream = this.#streams.get(streamId);
    this.#received(data.length);
    if (data.length > 0) stream?.data(data);
    if (isLast && (flags & frameFlags.endStream) !== 0) this.#toSession(endFrame(streamId));
  }

  /** The first byte is the number of bytes at the end that are no data. */
  #padded(frame: FrameHeader, payload: Buffer): void {
    const end = payload.length - (payload[0] ?? 0);
    if (end < 1) return this.#fail('the padding of a frame is invalid');
    const stream = this.#streams.get(frame.streamId);
    this.#received(payload.length - end + 1);
    if (stream !== undefined) this.consumed(stream, payload.length - end + 1);
    this.#data(frame, payload.subarray(1, end), true);
  }

  #windowUpdate({ streamId, length }: FrameHeader, bytes: Buffer): void {
    const increment = length === 4 ? bytes.readUInt32BE(frameHeaderBytes) & largestWindowBytes : 0;
    if (increment === 0) return this.#fail('a window update is invalid');
    if (streamId === 0) {
      this.#sendWindow += increment;
      this.#schedule();
    } else if (this.#streams.get(streamId)?.grant(increment) === false) this.#fail('a window is too large');
    if (this.#sendWindow > largestWindowBytes) this.#fail('a window is too large');
  }

  /** The session checks the settings, and acknowledges them. A setting that occurs often changes the streams once. */
  #settings(bytes: Buffer): void {
    let window = this.#initialWindow;
    for (let at = frameHeaderBytes; at + settingBytes <= bytes.length; at += settingBytes) {
      const value = bytes.readUInt32BE(at + 2);
      const id = bytes.readUInt16BE(at);
      if (id === settingIds.maxFrameSize)
        this.#maxFrame = Math.max(defaultFrameBytes, Math.min(value, maxFrameBytes));
      if (id === settingIds.initialWindowSize && value <= largestWindowBytes) window = value;
    }
    const added = window - this.#initialWindow;
    this.#initialWindow = window;
    if (added !== 0) for (const stream of this.#streams.values()) stream.grant(added);
  }

  #fail(message: string): void {
    this.destroy(new Error(message));
  }

  /** What is to be sent in one turn of the event loop is sent in one write. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#socket.cork();
    setImmediate(() => {
      this.#isScheduled = false;
      this.#flush();
      this.#socket.uncork();
    });
  }

  #flush(): void {
    if (this.destroyed || this.#socket.destroyed) return;
    // The rest of the frame of the session follows at once.
    if (!this.#outgoing.isBetweenFrames) return this.#schedule();
    const sent = new Set<DataStream>();
    this.#grant();
    for (const stream of this.#ready) {
      if (!this.#canSend) break;
      this.#ready.delete(stream);
      if (!stream.canSend) continue;
      this.#writeFrame(stream);
      sent.add(stream);
      // It is visited again after the others.
      if (stream.canSend) this.#ready.add(stream);
    }
    for (const stream of sent) stream.sent();
  }

  get #canSend(): boolean {
    return this.#sendWindow > 0 && this.#socket.writableLength < maxUnsentSocketBytes;
  }

  #writeFrame(stream: DataStream): void {
    this.#sendWindow -= stream.writeFrame(this.#socket, Math.min(this.#maxFrame, this.#sendWindow));
  }

  get #isCreditDue(): boolean {
    return this.#credit >= connectionWindowBytes / grantShare;
  }

  /** Sends the window updates that are worth a frame. */
  #grant(): void {
    if (this.#isCreditDue) {
      this.#socket.write(windowUpdate(0, this.#credit));
      this.#used -= this.#credit;
      this.#credit = 0;
    }
    for (const stream of this.#due) this.#socket.write(windowUpdate(stream.id, stream.takeCredit()));
    this.#due.clear();
  }
}
