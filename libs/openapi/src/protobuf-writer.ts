import { Buffer } from 'node:buffer';

const varintType = 0;
const doubleType = 1;
const lengthType = 2;

const firstBytes = 1024;
/** The memory of a writer that is kept for the next message. */
const keptBytes = 1024 * 1024;
/** A varint of 64 bits. */
const varintBytes = 10;
/** UTF-8 takes at most three bytes for a UTF-16 code unit. */
const bytesOfUnit = 3;
/** The length of such a text is one byte. */
const shortText = 60;

/** Receives the fields of a protobuf message. The caller omits absent and zero values. */
export interface FieldWriter {
  text(field: number, value: string): this;
  bool(field: number, value: boolean): this;
  /** Writes a non-negative integer. */
  integer(field: number, value: number | bigint): this;
  double(field: number, value: number): this;
  message(field: number, write: (message: FieldWriter) => void): this;
}

/** Encodes the fields of a protobuf message. */
export class ProtobufWriter implements FieldWriter {
  #bytes = Buffer.allocUnsafe(firstBytes);
  #length = 0;

  text(field: number, value: string): this {
    this.#head(field, lengthType);
    this.#reserve(bytesOfUnit * value.length + varintBytes);
    if (value.length <= shortText && this.#ascii(value)) return this;
    return this.#sized(() => (this.#length += this.#bytes.write(value, this.#length)));
  }

  bool(field: number, value: boolean): this {
    return this.#head(field, varintType).#varint(value ? 1 : 0);
  }

  integer(field: number, value: number | bigint): this {
    return this.#head(field, varintType).#varint(value);
  }

  double(field: number, value: number): this {
    this.#head(field, doubleType).#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
    return this;
  }

  message(field: number, write: (message: this) => void): this {
    return this.#head(field, lengthType).#sized(() => write(this));
  }

  /** Writes encoded fields. */
  fields(bytes: Buffer): this {
    this.#reserve(bytes.length);
    this.#length += bytes.copy(this.#bytes, this.#length);
    return this;
  }

  /** Returns what was written, in memory of its own, and begins anew. */
  finish(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#length);
    this.#bytes.copy(bytes);
    this.#length = 0;
    if (this.#bytes.length > keptBytes) this.#bytes = Buffer.allocUnsafe(firstBytes);
    return bytes;
  }

  /** Writes a short text and its length, and returns true if it is ASCII: faster than a call into Node. */
  #ascii(value: string): boolean {
    const start = this.#length + 1;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) return false;
      this.#bytes[start + i] = code;
    }
    this.#bytes[start - 1] = value.length;
    this.#length = start + value.length;
    return true;
  }

  /** Writes the length of a content before it: a byte is enough for most. */
  #sized(write: () => void): this {
    this.#reserve(1);
    const start = this.#length++;
    write();
    const end = this.#length;
    const size = end - start - 1;
    this.#reserve(varintBytes);
    const more = varintLength(size) - 1;
    if (more > 0) this.#bytes.copyWithin(start + 1 + more, start + 1, end);
    this.#length = start;
    this.#varint(size);
    this.#length = end + more;
    return this;
  }

  #head(field: number, wireType: number): this {
    return this.#varint(field * 8 + wireType);
  }

  #varint(value: number | bigint): this {
    this.#reserve(varintBytes);
    if (typeof value === 'number' && value < 0x80) return this.#byte(value);
    let rest = value;
    for (; typeof rest === 'bigint' && rest > 0x7fn; rest >>= 7n) this.#byte(Number(rest & 0x7fn) | 0x80);
    let small = Number(rest);
    for (; small > 0x7f; small = Math.floor(small / 0x80)) this.#byte((small % 0x80) | 0x80);
    return this.#byte(small);
  }

  #byte(value: number): this {
    this.#bytes[this.#length++] = value;
    return this;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Returns the number of bytes of a non-negative integer. */
export function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 0x80)) length++;
  return length;
}
