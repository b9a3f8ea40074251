import { crc32 } from 'node:zlib';
import type { Head, LogRecord } from '../ledger.ts';

/** The version of the table format. */
export const formatVersion = 1;

/** See `LmdbLedger`. */
export const tableNames = ['keys', 'log', 'values', 'expiry', 'about'] as const;

/** Longer keys do not fit into a page of LMDB. */
export const maxKeyBytes = 1900;

/** Bytes of a stored head. */
export const headBytes = 24;
/**
 * The head of a live key, followed by the CRC-32 of its value; earlier versions of Annex stored the head
 * only.
 */
export const headWithChecksumBytes = headBytes + 4;

/** Encodes a revision or a time as eight bytes with the same sort order. */
export function numberBytes(value: number): Buffer {
  return numbers(value);
}

/** Encodes numbers one after another. */
function numbers(...values: number[]): Buffer {
  const bytes = Buffer.allocUnsafe(8 * values.length);
  values.forEach((value, i) => bytes.writeDoubleBE(value, 8 * i));
  return bytes;
}

/** Encodes the head of a live key. */
export function encodeLiveHead(head: Head, value: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headWithChecksumBytes);
  encodeHead(head).copy(bytes);
  bytes.writeUInt32BE(crc32(value), headBytes);
  return bytes;
}

function encodeHead(head: Head): Buffer {
  return numbers(head.createRevision, head.modRevision, head.version);
}

/** False if a value does not match the checksum in the head of its key. */
export function isValueWhole(head: Buffer, value: Uint8Array): boolean {
  return head.length < headWithChecksumBytes || head.readUInt32BE(headBytes) === crc32(value);
}

/** Decodes the head at the start of a live head or a record. */
export function decodeHead(bytes: Buffer, at = 0): Head {
  return {
    createRevision: bytes.readDoubleBE(at),
    modRevision: bytes.readDoubleBE(at + 8),
    version: bytes.readDoubleBE(at + 16),
  };
}

const nothing: Head = { createRevision: 0, modRevision: 0, version: 0 };

/** Encodes a record: the new head, the previous one, zeros for absent ones, the key. */
export function encodeRecord({ key, head, previous }: LogRecord): Buffer {
  return Buffer.concat([encodeHead(head ?? nothing), encodeHead(previous ?? nothing), Buffer.from(key)]);
}

/** Decodes the result of `encodeRecord`. */
export function decodeRecord(revision: number, bytes: Buffer): LogRecord {
  const record: LogRecord = { revision, key: bytes.toString('utf8', 48) };
  const head = decodeHead(bytes);
  const previous = decodeHead(bytes, 24);
  if (head.modRevision > 0) record.head = head;
  if (previous.modRevision > 0) record.previous = previous;
  return record;
}
