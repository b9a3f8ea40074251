import { Buffer } from 'node:buffer';
import { GrpcError, grpcStatus } from './status.ts';

/** Bytes before each message: a flag for compression, and the length. */
export const prefixBytes = 5;

/** Writes the prefix of a message into the first bytes of its buffer; further bytes of it may follow. */
export function writePrefix(framed: Buffer, following = 0): Buffer {
  framed[0] = 0;
  framed.writeUInt32BE(framed.length - prefixBytes + following, 1);
  return framed;
}

/** Splits the bytes of a gRPC stream into messages. */
export class MessageReader {
  readonly #maxBytes: number;
  readonly #onMessage: (message: Buffer) => void;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes until there is something to do: a prefix, or a message with its prefix. */
  #needed = prefixBytes;

  constructor(maxBytes: number, onMessage: (message: Buffer) => void) {
    this.#maxBytes = maxBytes;
    this.#onMessage = onMessage;
  }

  /** Adds the next bytes. Throws GrpcError for a message that is too large or compressed. */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= this.#needed) this.#take();
  }

  #take(): void {
    const bytes = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks, this.#length);
    let at = 0;
    for (;;) {
      this.#needed = prefixBytes;
      if (bytes.length - at < this.#needed) break;
      this.#needed = prefixBytes + this.#lengthOf(bytes, at);
      if (bytes.length - at < this.#needed) break;
      this.#onMessage(bytes.subarray(at + prefixBytes, at + this.#needed));
      at += this.#needed;
    }
    this.#chunks = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#length = bytes.length - at;
  }

  #lengthOf(bytes: Buffer, at: number): number {
    if (bytes[at] !== 0)
      throw new GrpcError(grpcStatus.UNIMPLEMENTED, 'compressed messages are not supported');
    const length = bytes.readUInt32BE(at + 1);
    if (length > this.#maxBytes) {
      throw new GrpcError(
        grpcStatus.RESOURCE_EXHAUSTED,
        `grpc: received message larger than max (${length} vs. ${this.#maxBytes})`,
      );
    }
    return length;
  }
}
