import { crc32 } from 'node:zlib';
import type { Head, LogRecord } from '../ledger.ts';

/** The version of what the tables hold. */
export const formatVersion = 1;

/** See `LmdbLedger`. */
export const tableNames = ['keys', 'log', 'values', 'expiry', 'about'] as const;

/** Longer keys do not fit into a page of LMDB. */
export const maxKeyBytes = 1900;

/** A head, as it is stored. */
export const headBytes = 24;
/** The head of a live key, followed by the CRC-32 of its value; earlier versions of Annex stored the head only. */
export const headWithChecksumBytes = headBytes + 4;

/** A revision or a time as eight bytes that sort as the number does. */
export function numberBytes(value: number): Buffer {
  return numbers(value);
}

/** Numbers as they are stored behind each other. */
function numbers(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(8 * values.length);
  values.forEach((value, i) => bytes.writeDoubleBE(value, 8 * i));
  return bytes;
}

/** The head of a live key as it is stored under that key. */
export function encodeLiveHead(head: Head, value: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headWithChecksumBytes);
  encodeHead(head).copy(bytes);
  bytes.writeUInt32BE(crc32(value), headBytes);
  return bytes;
}

function encodeHead(head: Head): Buffer {
  return numbers(head.createRevision, head.modRevision, head.version);
}

/** False where a value is not the one that was stored with the head of its key. */
export function isValueWhole(head: Buffer, value: Uint8Array): boolean {
  return head.length < headWithChecksumBytes || head.readUInt32BE(headBytes) === crc32(value);
}

/** Reads what `encodeLiveHead` or a record begins with. */
export function decodeHead(bytes: Buffer, at = 0): Head {
  return {
    createRevision: bytes.readDoubleBE(at),
    modRevision: bytes.readDoubleBE(at + 8),
    version: bytes.readDoubleBE(at + 16),
  };
}

const nothing: Head = { createRevision: 0, modRevision: 0, version: 0 };

/** A record as it is stored under its revision: the new head, the previous one, zeros for what is absent, the key. */
export function encodeRecord({ key, head, previous }: LogRecord): Buffer {
  return Buffer.concat([encodeHead(head ?? nothing), encodeHead(previous ?? nothing), Buffer.from(key)]);
}

/** Reads what `encodeRecord` wrote. */
export function decodeRecord(revision: number, bytes: Buffer): LogRecord {
  const record: LogRecord = { revision, key: bytes.toString('utf8', 48) };
  const head = decodeHead(bytes);
  const previous = decodeHead(bytes, 24);
  if (head.modRevision > 0) record.head = head;
  if (previous.modRevision > 0) record.previous = previous;
  return record;
}
