import { statfsSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { checkCompaction, type LogRecord, recordOf, refusal, type Write } from './ledger.ts';
import { encodeHead, encodeRecord, LmdbLedger, numberBytes } from './lmdb-ledger.ts';
import { plainError, type WriteOutcome, type WriterReply, type WriterRequest } from './lmdb-protocol.ts';
import { StoreError } from './store.ts';

/**
 * The thread that writes an embedded store. Transactions are synchronous here, so that a failure is the failure of
 * exactly this transaction, and the disk is waited for without holding up requests.
 */
const { directory } = workerData as { directory: string };
const ledger = new LmdbLedger(directory);
const port = parentPort!;

port.on('message', (request: WriterRequest) => {
  if (request.kind === 'close') {
    void ledger.root.close().then(() => port.close());
    return;
  }
  port.postMessage(answer(request));
});

function answer(request: Exclude<WriterRequest, { kind: 'close' }>): WriterReply {
  try {
    return ledger.root.transactionSync(() => {
      if (request.kind === 'write') return write(request.writes, request.now);
      if (request.kind === 'compact') return compact(request.revision);
      return scrub(request.limit);
    });
  } catch (error) {
    return { kind: 'failed', error: plainError(error instanceof StoreError ? error : diskError(error)) };
  }
}

function write(writes: Write[], now: number): WriterReply {
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
    apply(write, record, now);
    outcomes.push({ record, previous });
  }
  ledger.setCounter('revision', revision);
  return { kind: 'written', outcomes };
}

function apply(write: Write, record: LogRecord, now: number): void {
  const key = Buffer.from(write.key);
  const revision = numberBytes(record.revision);
  ledger.log.putSync(revision, encodeRecord(record));
  if (write.kind === 'delete' || !record.head) {
    ledger.keys.removeSync(key);
    return;
  }
  ledger.keys.putSync(key, encodeHead(record.head));
  const { buffer, byteOffset, byteLength } = write.value;
  ledger.values.putSync(revision, Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength));
  if (!write.ttlSeconds) return;
  ledger.expiry.putSync(revision, Buffer.concat([numberBytes(now + write.ttlSeconds * 1000), key]));
}

function compact(revision: number): WriterReply {
  checkCompaction(ledger, revision);
  ledger.setCounter('compacted', revision);
  return { kind: 'done', more: true };
}

function scrub(limit: number): WriterReply {
  const { compacted, scrubbed } = ledger;
  const end = Math.min(compacted, scrubbed + limit);
  for (let revision = scrubbed + 1; revision <= end; revision++) {
    const { previous } = ledger.record(revision);
    // Whatever a record replaced cannot be seen from the compacted revision on.
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

function diskError(error: unknown): StoreError {
  const { code, message } = error as { code?: number; message: string };
  // LMDB calls a write that was cut short an input/output error.
  const full = fullCodes.has(code!) || (code === ioError && freeBytes() < scarceBytes);
  if (full) return new StoreError('noSpace', `no space is left for ${directory}: ${message}`);
  return new StoreError('unavailable', `${directory} cannot be written: ${message}`);
}

function freeBytes(): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
