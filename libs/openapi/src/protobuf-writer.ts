import { Buffer } from 'node:buffer';

const varintType = 0;
const doubleType = 1;
const lengthType = 2;

/** Writes the fields of a protobuf message. The caller omits absent and zero values. */
export class ProtobufWriter {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  text(field: number, value: string): this {
    const bytes = Buffer.from(value);
    return this.#head(field, lengthType).#varint(bytes.length).#push(bytes);
  }

  bool(field: number, value: boolean): this {
    return this.#head(field, varintType).#varint(value ? 1 : 0);
  }

  /** Writes a non-negative integer. */
  integer(field: number, value: number | bigint): this {
    return this.#head(field, varintType).#varint(value);
  }

  double(field: number, value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    return this.#head(field, doubleType).#push(bytes);
  }

  message(field: number, write: (message: ProtobufWriter) => void): this {
    const inner = new ProtobufWriter();
    write(inner);
    this.#head(field, lengthType).#varint(inner.#length);
    for (const chunk of inner.#chunks) this.#chunks.push(chunk);
    this.#length += inner.#length;
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#chunks, this.#length);
  }

  #head(field: number, wireType: number): this {
    return this.#varint(field * 8 + wireType);
  }

  #varint(value: number | bigint): this {
    const bytes: number[] = [];
    let rest = BigInt(value);
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    return this.#push(Buffer.from(bytes));
  }

  #push(bytes: Buffer): this {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
    return this;
  }
}
