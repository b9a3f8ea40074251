import type { LogRecord, Write } from '../ledger.ts';
import { type Entry, StoreError, type StoreErrorCode } from '../store.ts';

/** A request to the writer thread. Replies come in the same order, each after one transaction. */
export type WriterRequest =
  | { kind: 'write'; writes: Write[]; now: number }
  | { kind: 'compact'; revision: number }
  /** Removes the next records below the compacted revision, at most this many. */
  | { kind: 'scrub'; limit: number };

/** Messages to the writer thread; it sends replies, after one `ready`. */
export type WriterMessage = WriterRequest | 'close';

export type WriterReply =
  | { kind: 'written'; outcomes: WriteOutcome[] }
  | { kind: 'done'; more: boolean }
  | { kind: 'failed'; error: PlainError };

export type WriteOutcome =
  | { record: LogRecord; previous: Entry | undefined; refused?: undefined }
  | { refused: PlainError };

/** A StoreError in a message between threads. */
export interface PlainError {
  code: StoreErrorCode;
  message: string;
  current?: Entry;
  revision?: number;
}

export function plainError(error: StoreError): PlainError {
  const plain: PlainError = { code: error.code, message: error.message };
  if (error.current) plain.current = error.current;
  if (error.revision !== undefined) plain.revision = error.revision;
  return plain;
}

export function storeError({ code, message, ...about }: PlainError): StoreError {
  return new StoreError(code, message, about);
}
