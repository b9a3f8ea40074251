import type { Buffer } from 'node:buffer';
import type { Writable } from 'node:stream';
import { streamWindowBytes } from '../limits.ts';
import { dataHeader, largestWindowBytes } from './frame.ts';

/** The connection of a stream of data. */
export interface StreamOwner {
  /** The stream may have something to send. */
  wake(stream: DataStream): void;
  /** Sends what can be sent now. */
  flush(stream: DataStream): void;
  /** These bytes of the stream were read. */
  consumed(stream: DataStream, bytes: number): void;
  /** The HTTP/2 stream is gone. */
  forget(stream: DataStream): void;
  /** Everything that has arrived is read. */
  delivered(stream: DataStream): void;
}

/** The DATA frames of one HTTP/2 stream, in both directions. */
export class DataStream {
  readonly #owner: StreamOwner;
  /** 0 until HTTP/2 has chosen it. */
  id = 0;
  /** HEADERS were sent: data may follow. */
  isOpen = false;
  /** Its data will be read, perhaps later: a reset by the peer drops nothing, as the reset may follow the data at once. */
  isClaimed = false;
  /** Ends the stream instead of the empty frame of HTTP/2. */
  trailers: (() => Buffer) | undefined;
  /** Called when the trailers were sent. */
  onEnd: (() => void) | undefined;
  #isReleased = false;

  #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  #sendWindow: number;
  #flushed: (() => void) | undefined;
  /** Called when some of the queue was sent. */
  onSent: (() => void) | undefined;

  #reader: ((chunk: Buffer) => void) | undefined;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #isPaused = false;
  #isDelivering = false;
  /** Bytes that the peer sent and may not yet send again. */
  #used = 0;
  /** Bytes of these that were read. */
  #credit = 0;
  #delivered: (() => void)[] = [];

  constructor(owner: StreamOwner, sendWindow: number) {
    this.#owner = owner;
    this.#sendWindow = sendWindow;
  }

  /** Bytes that wait for the window or the connection. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  get canSend(): boolean {
    return this.isOpen && this.#queuedBytes > 0 && this.#sendWindow > 0;
  }

  /** Queues bytes. They must not change later. */
  write(...parts: readonly Uint8Array[]): void {
    if (this.#isReleased) return;
    for (const part of parts) {
      this.#queue.push(part);
      this.#queuedBytes += part.length;
    }
    this.#owner.wake(this);
  }

  /** Sends what can be sent now, not at the end of the turn: what follows on the connection goes into the same write. */
  flush(): void {
    if (this.canSend) this.#owner.flush(this);
  }

  /** Calls back when everything was sent. There is one caller. */
  whenFlushed(callback: () => void): void {
    if (this.#queuedBytes === 0) callback();
    else this.#flushed = callback;
  }

  /** Drops what was not sent. */
  discard(): void {
    this.#queue = [];
    this.#queuedBytes = 0;
  }

  /** The peer lets this side send more, or less if the number is negative. Returns false for more than HTTP/2 allows. */
  grant(bytes: number): boolean {
    this.#sendWindow += bytes;
    this.#owner.wake(this);
    return this.#sendWindow <= largestWindowBytes;
  }

  /** Writes one frame. Returns the bytes of data in it. */
  writeFrame(socket: Writable, limit: number): number {
    const length = Math.min(limit, this.#sendWindow, this.#queuedBytes);
    socket.write(dataHeader(this.id, length));
    let rest = length;
    let index = 0;
    for (; rest > 0; index++) {
      const part = this.#queue[index]!;
      if (part.length > rest) {
        socket.write(part.subarray(0, rest));
        this.#queue[index] = part.subarray(rest);
        break;
      }
      socket.write(part);
      rest -= part.length;
    }
    this.#queue.splice(0, index);
    this.#queuedBytes -= length;
    this.#sendWindow -= length;
    return length;
  }

  /** Some of the queue was sent. */
  sent(): void {
    if (this.#queuedBytes === 0) {
      const flushed = this.#flushed;
      this.#flushed = undefined;
      flushed?.();
    }
    this.onSent?.();
  }

  /** Bytes of the peer. Returns false if it sends more than it may. */
  received(bytes: number): boolean {
    this.#used += bytes;
    return this.#used <= streamWindowBytes;
  }

  /** Bytes that the peer may send again, and was not told of. */
  get credit(): number {
    return this.#credit;
  }

  consumed(bytes: number): void {
    this.#credit += bytes;
  }

  /** Returns the credit, which the peer gets now. */
  takeCredit(): number {
    const credit = this.#credit;
    this.#used -= credit;
    this.#credit = 0;
    return credit;
  }

  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /** Data of the peer. */
  data(chunk: Buffer): void {
    if (this.#isReleased) return this.#owner.consumed(this, chunk.length);
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    this.#deliver();
  }

  /** Delivers data from now on, also that which has arrived. */
  read(reader: (chunk: Buffer) => void): void {
    this.#reader = reader;
    this.#deliver();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    if (this.#unread.length > 0 || this.#delivered.length > 0) process.nextTick(() => this.#deliver());
  }

  /** Calls back when everything that has arrived is read. */
  whenDelivered(callback: () => void): void {
    if (this.#unreadBytes === 0 && !this.#isDelivering) return callback();
    this.#delivered.push(callback);
  }

  /** The HTTP/2 stream is gone. What has arrived is still delivered. */
  release(): void {
    this.#isReleased = true;
    this.discard();
    this.#owner.forget(this);
  }

  /** Drops what was not read. */
  drop(): void {
    const bytes = this.#unreadBytes;
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#owner.consumed(this, bytes);
    this.#allDelivered();
  }

  /** The peer has reset the stream. Who claimed it releases it. */
  reset(): void {
    this.discard();
    if (this.isClaimed) return;
    this.drop();
    this.release();
  }

  #deliver(): void {
    if (this.#isDelivering || this.#reader === undefined) return;
    this.#isDelivering = true;
    const unread = this.#unread;
    let index = 0;
    for (; index < unread.length && !this.#isPaused && this.#unread === unread; index++) {
      const chunk = unread[index]!;
      this.#unreadBytes -= chunk.length;
      this.#reader(chunk);
      this.#owner.consumed(this, chunk.length);
    }
    unread.splice(0, index);
    this.#isDelivering = false;
    if (this.#unreadBytes === 0) this.#allDelivered();
  }

  #allDelivered(): void {
    this.#owner.delivered(this);
    for (const callback of this.#delivered.splice(0)) callback();
  }
}
