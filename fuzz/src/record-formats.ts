import type { RecordFormat } from '@annex/testkit';

/** A record of a binary format: what comes before its length, and its content. */
export interface RecordNode {
  /** The tag; all of the header but the length in a format with headers. */
  head: Uint8Array;
  content: Uint8Array;
  /** The content as records, where it is. */
  children: RecordNode[] | undefined;
  /** Added to the length that is written. */
  lengthError?: number;
}

interface Format {
  /** The records that the bytes consist of; `undefined` if they do not. */
  read(bytes: Uint8Array): RecordNode[] | undefined;
  write(record: RecordNode): Uint8Array;
}

const maxDepth = 32;

const contentOf = ({ content, children }: RecordNode, write: Format['write']): Uint8Array =>
  children === undefined ? content : Buffer.concat(children.map(write));

/** DER: a tag of one byte, the length in one or more bytes. Octet and bit strings may contain records. */
const der: Format = {
  read: (bytes) => readDer(bytes, 0),
  write(record) {
    const content = contentOf(record, der.write);
    const length = Math.max(0, content.length + (record.lengthError ?? 0));
    const lengthBytes: number[] = [];
    for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) lengthBytes.unshift(rest % 256);
    const encoded = length < 0x80 ? [length] : [0x80 + lengthBytes.length, ...lengthBytes];
    return Buffer.concat([record.head, Uint8Array.from(encoded), content]);
  },
};

function readDer(bytes: Uint8Array, depth: number): RecordNode[] | undefined {
  const records: RecordNode[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at]!;
    const first = bytes[at + 1];
    if (first === undefined || first > 0x84 || (tag & 0x1f) === 0x1f) return undefined;
    const lengthBytes = first < 0x80 ? 0 : first - 0x80;
    let length = first < 0x80 ? first : 0;
    for (let i = 0; i < lengthBytes; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
    const start = at + 2 + lengthBytes;
    if (start + length > bytes.length) return undefined;
    const content = bytes.subarray(start, start + length);
    const mayNest = depth < maxDepth && ((tag & 0x20) !== 0 || tag === 0x04);
    const children = mayNest ? readDer(content, depth + 1) : undefined;
    records.push({ head: bytes.subarray(at, at + 1), content, children });
    at = start + length;
  }
  return records;
}

/** Protobuf: a number and a type as a varint; only records of type 2 have a length. */
const protobuf: Format = {
  read: (bytes) => readProtobuf(bytes, 0),
  write(record) {
    const content = contentOf(record, protobuf.write);
    if ((record.head[0]! & 7) !== 2) return Buffer.concat([record.head, content]);
    return Buffer.concat([
      record.head,
      varint(Math.max(0, content.length + (record.lengthError ?? 0))),
      content,
    ]);
  },
};

function readProtobuf(bytes: Uint8Array, depth: number): RecordNode[] | undefined {
  const records: RecordNode[] = [];
  for (let at = 0; at < bytes.length;) {
    const tagEnd = varintEnd(bytes, at);
    if (tagEnd === undefined || bytes[at]! >> 3 === 0) return undefined;
    const type = bytes[at]! & 7;
    const start = type === 2 ? varintEnd(bytes, tagEnd) : tagEnd;
    if (start === undefined) return undefined;
    const length = lengthOf(bytes, type, tagEnd, start);
    if (length === undefined || start + length > bytes.length) return undefined;
    const content = bytes.subarray(start, start + length);
    const children =
      type === 2 && length > 0 && depth < maxDepth ? readProtobuf(content, depth + 1) : undefined;
    records.push({ head: bytes.subarray(at, tagEnd), content, children });
    at = start + length;
  }
  return records;
}

function lengthOf(bytes: Uint8Array, type: number, tagEnd: number, start: number): number | undefined {
  if (type === 1) return 8;
  if (type === 5) return 4;
  if (type === 0) return (varintEnd(bytes, start) ?? NaN) - start || undefined;
  if (type !== 2) return undefined;
  return bytes.subarray(tagEnd, start).reduceRight((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}

function varintEnd(bytes: Uint8Array, from: number): number | undefined {
  let at = from;
  while ((bytes[at] ?? 0) >= 0x80) at++;
  return at < bytes.length && at - from < 10 ? at + 1 : undefined;
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 0x80);
  return Uint8Array.from([...bytes, rest]);
}

const frameHeaderBytes = 9;

/** HTTP/2: three bytes of length; type, flags and stream are the head. Frames do not nest. */
const http2: Format = {
  read(bytes) {
    const records: RecordNode[] = [];
    for (let at = 0; at < bytes.length;) {
      const start = at + frameHeaderBytes;
      if (start > bytes.length) return undefined;
      const length = (bytes[at]! << 16) + (bytes[at + 1]! << 8) + bytes[at + 2]!;
      if (start + length > bytes.length) return undefined;
      const content = bytes.subarray(start, start + length);
      records.push({
        head: bytes.subarray(at + 3, start),
        content,
        children: undefined,
      });
      at = start + length;
    }
    return records;
  },
  write(record) {
    const content = contentOf(record, http2.write);
    const length = Math.max(0, content.length + (record.lengthError ?? 0));
    return Buffer.concat([Uint8Array.of(length >> 16, length >> 8, length), record.head, content]);
  },
};

export const formats: Readonly<Record<RecordFormat['format'], Format>> = {
  der,
  protobuf,
  http2,
};
