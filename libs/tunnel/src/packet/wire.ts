/** The wire types of protobuf that packets have. */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Bytes that are no packet, or a packet that breaks the protocol. It ends the stream that it came from. */
export class PacketError extends Error {
  override name = 'PacketError';
}

/** Bytes that are no message of protobuf. */
export class WireError extends PacketError {
  override name = 'WireError';
}

/** Bytes of the longest varint: 64 bits in groups of 7. */
const longestVarint = 10;
const lowest7 = 0x7f;
const more = 0x80;
/** Groups whose bits a number holds exactly: arithmetic of bigints is slow. */
const safeGroups = 7;
const safeBits = 49n;

/** Reads the fields of a protobuf message, in time linear in its length. Throws PacketError. */
export class WireReader {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** The index of the next byte. */
  get at(): number {
    return this.#at;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Returns a field number and its wire type. */
  tag(): { field: number; wire: number } {
    const tag = this.integer();
    return { field: Math.floor(tag / 8), wire: tag % 8 };
  }

  /** Reads an integer from 0 to 2^53 - 1. */
  integer(): number {
    let value = 0;
    for (let group = 1, scale = 1; group <= longestVarint; group++, scale *= 0x80) {
      const byte = this.#byte();
      value += (byte & lowest7) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw new PacketError('a number of a packet is out of range');
      if (byte < more) return value;
    }
    throw new WireError('a number of a packet does not end');
  }

  /** Reads an int64. */
  int64(): bigint {
    let low = 0;
    for (let group = 0, scale = 1; group < safeGroups; group++, scale *= more) {
      const byte = this.#byte();
      low += (byte & lowest7) * scale;
      if (byte < more) return BigInt(low);
    }
    let high = 0;
    for (let group = safeGroups, scale = 1; group < longestVarint; group++, scale *= more) {
      const byte = this.#byte();
      high += (byte & lowest7) * scale;
      if (byte < more) return BigInt.asIntN(64, BigInt(low) + (BigInt(high) << safeBits));
    }
    throw new WireError('a number of a packet does not end');
  }

  /** Reads bytes with their length. They share memory with the message. */
  bytes(): Uint8Array {
    return this.#take(this.integer());
  }

  skip(wire: number): void {
    if (wire === wireTypes.varint) this.int64();
    else if (wire === wireTypes.bytes) this.bytes();
    else if (wire === wireTypes.fixed64) this.#take(8);
    else if (wire === wireTypes.fixed32) this.#take(4);
    else throw new WireError(`a packet has a field of the unsupported wire type ${wire}`);
  }

  #byte(): number {
    const byte = this.#bytes[this.#at++];
    if (byte === undefined) throw new WireError('a packet ends early');
    return byte;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new WireError('a packet ends early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

/** Returns the bytes of a varint. */
export function varintLength(value: number | bigint): number {
  if (typeof value === 'number') {
    let length = 1;
    for (let rest = value; rest > lowest7; rest = Math.floor(rest / more)) length++;
    return length;
  }
  const high = highOf(value);
  return high === 0 ? varintLength(lowOf(value)) : safeGroups + varintLength(high);
}

/** Writes a varint at an index; returns the index after it. */
export function writeVarint(bytes: Uint8Array, at: number, value: number | bigint): number {
  let index = at;
  if (typeof value === 'number') {
    let rest = value;
    for (; rest > lowest7; rest = Math.floor(rest / more)) bytes[index++] = (rest % more) + more;
    bytes[index++] = rest;
    return index;
  }
  const high = highOf(value);
  let low = lowOf(value);
  if (high === 0) return writeVarint(bytes, index, low);
  for (let group = 0; group < safeGroups; group++, low = Math.floor(low / more))
    bytes[index++] = (low % more) + more;
  return writeVarint(bytes, index, high);
}

const lowOf = (value: bigint): number => Number(BigInt.asUintN(Number(safeBits), value));
const highOf = (value: bigint): number => Number(BigInt.asUintN(64, value) >> safeBits);
