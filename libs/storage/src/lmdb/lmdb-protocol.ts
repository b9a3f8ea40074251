import type { LogRecord, Write } from '../ledger.ts';
import type { PlainError } from '../plain-error.ts';
import type { Entry } from '../store.ts';

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
