import { statfsSync } from 'node:fs';
import { StoreError } from '../store.ts';
import type { LmdbLedger } from './lmdb-ledger.ts';
import type { NativeBatch } from './native-batch.ts';

/** What a request writes, and what it results in when that is durable. */
export interface Plan<Result> {
  batch: NativeBatch;
  result: Result;
}

/**
 * Executes plans one after another: each is made from what the one before has written, and committed by a thread of libuv's pool, so
 * that waiting for the disk does not delay requests.
 */
export class LmdbWriter {
  readonly #ledger: LmdbLedger;
  #last: Promise<unknown> = Promise.resolve();
  /** After this, LMDB refuses to write until the store is opened again. */
  #panic: StoreError | undefined;

  constructor(ledger: LmdbLedger) {
    this.#ledger = ledger;
  }

  /** Resolves to the result when it is durable. Throws StoreError, and then nothing of the plan is written. */
  execute<Result>(plan: (ledger: LmdbLedger) => Plan<Result>): Promise<Result> {
    const result = this.#last.then(() => this.#execute(plan));
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Opens the data file again when all plans before are executed. Throws StoreError if that fails: the store cannot be used then. */
  async reopen(): Promise<void> {
    const opened = this.#last.then(() => {
      if (!this.#panic) this.#reopen();
    });
    this.#last = opened.catch(() => undefined);
    await opened;
  }

  #reopen(): void {
    const { directory } = this.#ledger;
    try {
      this.#ledger.reopen();
    } catch (error) {
      throw (this.#panic = new StoreError(
        'unavailable',
        `${directory} cannot be opened again: ${String(error)}`,
      ));
    }
  }

  /** Closes the environment when all plans are executed. */
  async close(): Promise<void> {
    await this.#last;
    // The thread that met this error still has the lock that closing waits for.
    if (!this.#panic) await this.#ledger.tables.root.close();
  }

  async #execute<Result>(plan: (ledger: LmdbLedger) => Plan<Result>): Promise<Result> {
    if (this.#panic) throw this.#panic;
    const { batch, result } = plan(this.#ledger);
    if (batch.isEmpty) return result;
    try {
      await batch.commit(this.#ledger.tables.root);
    } catch (error) {
      const failure = diskError(this.#ledger.directory, error);
      if ((error as { code?: number }).code === panicCode) this.#panic = failure;
      throw failure;
    } finally {
      this.#ledger.tables.root.resetReadTxn();
    }
    return result;
  }
}

/** MDB_PANIC: an earlier error made the environment unusable. */
const panicCode = -30795;
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
