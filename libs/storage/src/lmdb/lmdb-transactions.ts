import { statfsSync } from 'node:fs';
import { checkCompaction, type LogRecord, recordOf, refusal, type Write } from '../ledger.ts';
import { encodeLiveHead, encodeRecord, numberBytes } from './ledger-format.ts';
import type { LmdbLedger } from './lmdb-ledger.ts';
import { type WriteOutcome, type WriterReply, type WriterRequest } from './lmdb-protocol.ts';
import { plainError } from '../plain-error.ts';
import { StoreError } from '../store.ts';

/**
 * Executes a request in one transaction, and waits until it is durable. A synchronous transaction is used
 * because its failure is the failure of exactly this request.
 */
export function transact(ledger: LmdbLedger, request: WriterRequest): WriterReply {
  try {
    return ledger.root.transactionSync(() => {
      if (request.kind === 'write') return write(ledger, request);
      if (request.kind === 'compact') return compact(ledger, request.revision);
      return scrub(ledger, request.limit);
    });
  } catch (error) {
    return {
      kind: 'failed',
      error: plainError(error instanceof StoreError ? error : diskError(ledger.directory, error)),
    };
  }
}

function write(ledger: LmdbLedger, { writes, now }: Extract<WriterRequest, { kind: 'write' }>): WriterReply {
  let { revision } = ledger;
  const outcomes: WriteOutcome[] = [];
  for (const write of writes) {
    const head = ledger.head(write.key);
    const refused = refusal(ledger, write, head);
    if (refused) {
      outcomes.push({ refused: plainError(refused) });
      continue;
    }
    const record = recordOf(write, ++revision, head);
    const previous = head && ledger.entry(write.key, head);
    apply(ledger, write, record, now);
    outcomes.push({ record, previous });
  }
  // A transaction without a change costs no flush.
  if (revision > ledger.revision) ledger.setCounter('revision', revision);
  return { kind: 'written', outcomes };
}

function apply(ledger: LmdbLedger, write: Write, record: LogRecord, now: number): void {
  const key = Buffer.from(write.key);
  const revision = numberBytes(record.revision);
  ledger.log.putSync(revision, encodeRecord(record));
  if (write.kind === 'delete' || !record.head) {
    ledger.keys.removeSync(key);
    return;
  }
  ledger.keys.putSync(key, encodeLiveHead(record.head, write.value));
  const { buffer, byteOffset, byteLength } = write.value;
  ledger.values.putSync(revision, Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength));
  if (!write.ttlSeconds) return;
  const due = now + Math.ceil(write.ttlSeconds * 1000);
  ledger.expiry.putSync(revision, Buffer.concat([numberBytes(due), key]));
}

function compact(ledger: LmdbLedger, revision: number): WriterReply {
  checkCompaction(ledger, revision);
  ledger.setCounter('compacted', revision);
  return { kind: 'done', more: true };
}

function scrub(ledger: LmdbLedger, limit: number): WriterReply {
  const { compacted, scrubbed } = ledger;
  const end = Math.min(compacted, scrubbed + limit);
  for (let revision = scrubbed + 1; revision <= end; revision++) {
    const { previous } = ledger.record(revision);
    // A replaced value is not visible from the compacted revision on.
    if (previous) {
      const replaced = numberBytes(previous.modRevision);
      ledger.values.removeSync(replaced);
      ledger.expiry.removeSync(replaced);
    }
    ledger.log.removeSync(numberBytes(revision));
  }
  if (end > scrubbed) ledger.setCounter('scrubbed', end);
  return { kind: 'done', more: end < compacted };
}

/** ENOSPC, EDQUOT, EFBIG and MDB_MAP_FULL. */
const fullCodes = new Set([28, 122, 27, -30792]);
const ioError = 5;
const scarceBytes = 1024 * 1024;

function diskError(directory: string, error: unknown): StoreError {
  const { code, message } = error as { code?: number; message: string };
  // LMDB reports a truncated write as an input/output error.
  const full = fullCodes.has(code!) || (code === ioError && freeBytes(directory) < scarceBytes);
  if (full) return new StoreError('noSpace', `no space is left on the disk of ${directory}: ${message}`);
  return new StoreError('unavailable', `${directory} cannot be written: ${message}`);
}

function freeBytes(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
