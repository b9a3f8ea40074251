import { Buffer } from 'node:buffer';
import { Duplex } from 'node:stream';
import type { PacketStream } from '../grpc/packet-stream.ts';
import { maxSentDataBytes } from '../limits.ts';
import type { PacketOf, ReceivedPacket } from '../packet/packet.ts';

/** A connection to a destination, on a stream of its own. */
export class TunnelConnection extends Duplex {
  readonly #packets: PacketStream;
  readonly #connectId: number;
  readonly #halfClose: boolean;
  /** CLOSE_REQ was sent, or nobody is left to receive it. */
  #closeSent = false;
  #ended = false;
  /** The server said that the connection is over. */
  #isOver = false;

  constructor(packets: PacketStream, connectId: number, halfClose: boolean) {
    super();
    this.#packets = packets;
    this.#connectId = connectId;
    this.#halfClose = halfClose;
  }

  /** Takes a packet of the stream. */
  received(packet: ReceivedPacket): void {
    if (packet.type === 'DATA') this.#data(packet);
    else if (packet.type === 'HALF_CLOSE' && packet.connectId === this.#connectId) this.#end();
    else if (packet.type === 'CLOSE_RSP' && packet.connectId === this.#connectId) this.#closed(packet.error);
  }

  /** The stream is gone. */
  lost(error: Error | undefined): void {
    this.#closeSent = true;
    if (!this.#isOver) this.#fail(error ?? new Error('the tunnel was closed'));
  }

  override _read(): void {
    this.#packets.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    if (this.#packets.isClosed || this.#closeSent) return done(closedError());
    for (let at = 0; at < chunk.length; at += maxSentDataBytes) {
      // The owner of the chunk may change it when it is written; the packet may wait longer.
      const data = Buffer.from(chunk.subarray(at, at + maxSentDataBytes));
      this.#packets.send({ type: 'DATA', connectId: this.#connectId, error: '', data });
    }
    this.#packets.whenDrained(done);
  }

  /** A peer without half-close can only close the connection. */
  override _final(done: () => void): void {
    if (this.#halfClose) this.#packets.send({ type: 'HALF_CLOSE', connectId: this.#connectId });
    else this.#requestClose();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#requestClose();
    this.#packets.end();
    this.#packets.resume();
    done(error);
  }

  #data({ connectId, data }: PacketOf<'DATA'>): void {
    if (connectId !== this.#connectId || this.destroyed || this.#ended) return;
    if (!this.push(data)) this.#packets.pause();
  }

  #closed(error: string): void {
    this.#isOver = true;
    this.#closeSent = true;
    this.#packets.end();
    if (this.destroyed) return;
    if (error !== '') this.#fail(new Error(error));
    else if (this.readableEnded) this.destroy();
    else {
      this.once('end', () => this.destroy());
      this.#end();
    }
  }

  /** An error can arrive together with the response of the dial: whoever dialed gets the connection first, and then the error. */
  #fail(error: Error): void {
    setImmediate(() => this.destroy(error));
  }

  #end(): void {
    if (!this.#ended) this.push(null);
    this.#ended = true;
  }

  #requestClose(): void {
    if (this.#closeSent) return;
    this.#closeSent = true;
    this.#packets.send({ type: 'CLOSE_REQ', connectId: this.#connectId });
  }
}

const closedError = (): Error => Object.assign(new Error('the connection is closed'), { code: 'EPIPE' });
