import { Buffer } from 'node:buffer';
import { constants, type Http2Stream } from 'node:http2';
import {
  maxPacketBytes,
  maxUnreadResponsesBytes,
  maxUnsentStreamBytes,
  streamEndTimeoutMs,
} from '../limits.ts';
import { decodePacket, readDataHead } from '../packet/decode-packet.ts';
import type { DataStream } from '../frames/data-stream.ts';
import { encodeDataHead, encodePacket } from '../packet/encode-packet.ts';
import type { Packet, ReceivedPacket } from '../packet/packet.ts';
import { type DividedMessage, MessageReader, prefixBytes, writePrefix } from './message-reader.ts';
import { GrpcError, grpcStatus, statusOf } from './status.ts';

/** What happens on a stream of packets. */
export interface PacketReceiver {
  /** Data may arrive in more packets than it was sent in. */
  packet(packet: ReceivedPacket): void;
  /** The peer sends no more packets. */
  ended?(): void;
  /** The stream is gone. Called once; the error is the reason, if there was one. `isEnded`: both sides or this one ended it before. */
  closed(error: Error | undefined, isEnded: boolean): void;
}

/** Is notified of packets that are sent. */
export interface PacketObserver {
  sent(type: Packet['type']): void;
}

/** What one side of a stream does differently from the other. */
export interface PacketStreamEnd {
  /** Called once, before anything is sent. */
  begin?: (() => void) | undefined;
  /** Ends the stream with an error. `isBegun`: something was sent before. */
  endWith(error: GrpcError, isBegun: boolean): void;
  /** Senders wait for more bytes than these. Default {@link maxUnsentStreamBytes}. */
  maxUnsent?: number | undefined;
}

/** One end of a gRPC stream of packets. What is sent is bounded by {@link PacketStream.mustWait}, what is received by `pause`. */
export class PacketStream {
  readonly #stream: Http2Stream;
  readonly #data: DataStream;
  #begin: (() => void) | undefined;
  readonly #endWith: PacketStreamEnd['endWith'];
  readonly #maxUnsent: number;
  readonly #waiting: (() => void)[] = [];
  #error: Error | undefined;
  #endTimer: NodeJS.Timeout | undefined;
  #isEnding = false;
  #isHeld = false;
  #held: (() => void) | undefined;
  #reader: MessageReader | undefined;
  #observer: PacketObserver | undefined;
  /** Bytes of responses that wait for the peer, at most. */
  #responseBytes = 0;

  constructor(stream: Http2Stream, data: DataStream, { begin, endWith, maxUnsent }: PacketStreamEnd) {
    this.#stream = stream;
    this.#data = data;
    data.isClaimed = true;
    this.#begin = begin;
    this.#endWith = endWith;
    this.#maxUnsent = maxUnsent ?? maxUnsentStreamBytes;
    stream.on('error', (error: Error) => (this.#error ??= error));
    data.onSent = () => {
      this.#responseBytes = Math.min(this.#responseBytes, this.unsentBytes);
      if (this.#waiting.length > 0 && this.unsentBytes <= this.#maxUnsent / 2) this.#drained();
    };
  }

  /** Sets who is notified of packets that are sent from now on. */
  observe(observer: PacketObserver): void {
    this.#observer = observer;
  }

  /** Delivers packets from now on. A receiver that throws ends the stream. */
  start(receiver: PacketReceiver): void {
    if (this.#isHeld) this.#held = () => this.#read(receiver);
    else this.#read(receiver);
    let isEnded = false;
    this.#stream.on('end', () => {
      isEnded = true;
      this.#data.whenDelivered(() => this.#ended(receiver));
    });
    this.#stream.on('close', () => {
      clearTimeout(this.#endTimer);
      if (this.#isBroken) this.#data.drop();
      this.#data.release();
      this.#drained();
      this.#data.whenDelivered(() =>
        receiver.closed(this.#error, (isEnded || this.#isEnding) && !this.#isReset),
      );
    });
    // Its data does not come from HTTP/2, only its end.
    this.#stream.resume();
  }

  /** Delivers no packets before `release`: those of a server, before its headers. Called before `start`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    this.#held?.();
    this.#held = undefined;
  }

  #ended(receiver: PacketReceiver): void {
    if (this.#reader?.isWithin === true) this.fail(new GrpcError(grpcStatus.INTERNAL, 'unexpected EOF'));
    else receiver.ended?.();
  }

  #read(receiver: PacketReceiver): void {
    const reader = (this.#reader = new MessageReader(
      maxPacketBytes,
      (message) => receiver.packet(decodePacket(message)),
      (bytes, length) => dividedData(receiver, bytes, length),
    ));
    this.#data.read((chunk) => {
      if (this.#error !== undefined) return;
      try {
        reader.add(chunk);
      } catch (error) {
        this.fail(error as Error);
      }
    });
  }

  get #isReset(): boolean {
    return this.#stream.rstCode !== constants.NGHTTP2_NO_ERROR;
  }

  /** What has arrived on a stream that is gone is of no use. A stream that is still held had no headers. */
  get #isBroken(): boolean {
    return this.#error !== undefined || this.#isHeld || this.#isReset;
  }

  get isClosed(): boolean {
    return this.#isEnding || this.#stream.closed || this.#stream.destroyed;
  }

  /** Bytes that wait in this process for the peer. */
  get unsentBytes(): number {
    return this.#data.queuedBytes;
  }

  /** The peer reads more slowly than this process sends: senders have to wait for {@link whenDrained}. */
  get mustWait(): boolean {
    return this.unsentBytes >= this.#maxUnsent;
  }

  /** Sends a packet; on a stream that is closed, it is dropped. Its data must not change later. */
  send(packet: Packet): void {
    if (this.isClosed) return;
    this.#started();
    this.#observer?.sent(packet.type);
    if (packet.type !== 'DATA' || packet.error !== '' || packet.data.length < sharedDataBytes)
      return this.#data.write(writePrefix(encodePacket(packet, prefixBytes)));
    this.#data.write(writePrefix(encodeDataHead(packet, prefixBytes), packet.data.length), packet.data);
  }

  /** Responds to a packet that concerns no connection. The stream ends if its peer sends such packets, and does not read the responses. */
  respond(packet: Packet): void {
    const before = this.unsentBytes;
    this.send(packet);
    this.#responseBytes += this.unsentBytes - before;
    if (this.#responseBytes > maxUnreadResponsesBytes)
      this.fail(
        new GrpcError(grpcStatus.RESOURCE_EXHAUSTED, 'the peer does not read the responses to its packets'),
      );
  }

  /** Sends a message that is perhaps no packet. */
  sendMessage(message: Uint8Array): void {
    this.#started();
    this.#data.write(writePrefix(Buffer.concat([Buffer.alloc(prefixBytes), message])));
  }

  /** Calls back once, when packets can be sent again or the stream is closed. */
  whenDrained(callback: () => void): void {
    if (!this.mustWait || this.isClosed) callback();
    else this.#waiting.push(callback);
  }

  /** Stops to receive, until {@link resume}; the peer has to wait. */
  pause(): void {
    this.#data.pause();
  }

  resume(): void {
    this.#data.resume();
  }

  /** Sends no more packets. A peer that does not end the stream in time is not waited for. */
  end(): void {
    if (this.isClosed) return;
    this.#isEnding = true;
    this.#started();
    this.#data.flush();
    this.#data.whenFlushed(() => this.#stream.end());
    this.#endTimer = setTimeout(() => this.cancel(), streamEndTimeoutMs).unref();
  }

  /** Ends the stream with an error: the side of the server sends it as the status. */
  fail(error: Error): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    this.#isEnding = true;
    const isBegun = this.#begin === undefined;
    this.#begin = undefined;
    this.#data.discard();
    this.#data.resume();
    this.#endWith(statusOf(error, grpcStatus.INTERNAL), isBegun);
  }

  /** Ends the stream at once. */
  cancel(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  #started(): void {
    const begin = this.#begin;
    if (begin === undefined) return;
    this.#begin = undefined;
    begin();
  }

  /** Senders continue a few at a time, so that all of them together do not exceed the bound. */
  #drained(): void {
    for (const callback of this.#waiting.splice(0, this.isClosed ? this.#waiting.length : sendersPerTurn))
      callback();
    if (this.#waiting.length > 0 && !this.mustWait) setImmediate(() => this.#drained());
  }
}

/** The data of a packet is delivered as several packets if it has not arrived as a whole, so that it is not copied. */
function dividedData(receiver: PacketReceiver, bytes: Buffer, length: number): DividedMessage | undefined {
  const found = readDataHead(bytes, length);
  if (found === undefined) return undefined;
  const { connectId, head } = found;
  return { head, piece: (data) => receiver.packet({ type: 'DATA', connectId, error: '', data }) };
}

const sendersPerTurn = 16;

/** Less data is copied behind the head of its packet. */
const sharedDataBytes = 1024;
