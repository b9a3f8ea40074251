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

/** A message whose beginning is enough to deliver the rest in the pieces that arrive. */
export interface DividedMessage {
  /** Bytes of its beginning. */
  head: number;
  /** Takes a piece of what follows. */
  piece(bytes: Buffer): void;
}

/** The bytes that are enough to recognize a message that can be divided. */
export const headBytes = 32;

/** Splits the bytes of a gRPC stream into messages. */
export class MessageReader {
  readonly #maxBytes: number;
  readonly #onMessage: (message: Buffer) => void;
  readonly #divide: (head: Buffer, length: number) => DividedMessage | undefined;
  #divided: DividedMessage | undefined;
  /** Bytes of the divided message that are to come. */
  #rest = 0;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Bytes until there is something to do: a prefix, or a message with its prefix. */
  #needed = prefixBytes;

  /** `divide` is called with the beginning of a message that has not arrived as a whole, and its length. */
  constructor(
    maxBytes: number,
    onMessage: (message: Buffer) => void,
    divide: (head: Buffer, length: number) => DividedMessage | undefined = () => undefined,
  ) {
    this.#maxBytes = maxBytes;
    this.#onMessage = onMessage;
    this.#divide = divide;
  }

  /** A message has begun and not ended. */
  get isWithin(): boolean {
    return this.#length > 0 || this.#rest > 0;
  }

  /** Adds the next bytes. Throws GrpcError for a message that is too large or compressed. */
  add(chunk: Buffer): void {
    const rest = this.#divided === undefined ? chunk : this.#continue(chunk, this.#divided);
    if (rest.length === 0) return;
    this.#chunks.push(rest);
    this.#length += rest.length;
    while (this.#length >= this.#needed) this.#take();
  }

  /** Returns what follows the divided message. */
  #continue(chunk: Buffer, divided: DividedMessage): Buffer {
    const piece = chunk.subarray(0, this.#rest);
    this.#rest -= piece.length;
    if (this.#rest === 0) this.#divided = undefined;
    divided.piece(piece);
    return chunk.subarray(piece.length);
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
    if (this.#begins(bytes, at)) at = bytes.length;
    this.#chunks = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#length = bytes.length - at;
  }

  /** Delivers the beginning of a message that can be divided. */
  #begins(bytes: Buffer, at: number): boolean {
    const start = at + prefixBytes;
    if (bytes.length < start + headBytes) return false;
    const length = this.#needed - prefixBytes;
    const divided = this.#divide(bytes.subarray(start), length);
    if (divided === undefined) return false;
    this.#divided = divided;
    this.#rest = length - (bytes.length - start);
    this.#needed = prefixBytes;
    const piece = bytes.subarray(start + divided.head);
    if (piece.length > 0) divided.piece(piece);
    return true;
  }

  #lengthOf(bytes: Buffer, at: number): number {
    const format = bytes[at]!;
    if (format === 1)
      throw new GrpcError(grpcStatus.INTERNAL, 'grpc: compressed flag set with identity or empty encoding');
    if (format > 1)
      throw new GrpcError(grpcStatus.INTERNAL, `grpc: received unexpected payload format ${format}`);
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
