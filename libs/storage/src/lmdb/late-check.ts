import { Worker } from 'node:worker_threads';
import type { LmdbLedger } from './lmdb-ledger.ts';
import { DataFile } from './data-file.ts';
import type { LateCheckInput, LateCheckResult } from './late-check-thread.ts';
import { dataFile } from './store-files.ts';

/** The damage that a check found, or none; or the check itself failed. */
export type LateCheckOutcome = LateCheckResult | 'failed';

/**
 * Checks the data file of an open store in a thread, as it was when the store was opened: a read transaction keeps the pages of that time.
 */
export class LateCheck {
  readonly #transaction: { done(): void };
  readonly #input: LateCheckInput;
  readonly #onEnd: (outcome: LateCheckOutcome) => void;
  readonly #timer: NodeJS.Timeout;
  #worker: Worker | undefined;
  #isOver = false;

  /** Takes the pages immediately; the thread starts after a delay, when the start is over. Must be called before the first write. */
  constructor(ledger: LmdbLedger, delayMs: number, onEnd: (outcome: LateCheckOutcome) => void) {
    this.#onEnd = onEnd;
    this.#transaction = ledger.tables.root.useReadTransaction();
    // The transaction begins at its first read.
    ledger.tables.about.get('revision', { transaction: this.#transaction as never });
    using file = new DataFile(dataFile(ledger.directory));
    this.#input = { path: dataFile(ledger.directory), meta: file.readMetas().meta };
    this.#timer = setTimeout(() => this.#start(), delayMs).unref();
  }

  /** Ends the check without a result. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#isOver) this.#transaction.done();
    this.#isOver = true;
    await this.#worker?.terminate();
  }

  #start(): void {
    const worker = new Worker(new URL('./late-check-thread.ts', import.meta.url), {
      workerData: this.#input,
      // Options of the process, such as --input-type, may make a thread fail.
      execArgv: [],
    });
    this.#worker = worker;
    worker.unref();
    worker.on('message', (result: LateCheckResult) => this.#end(result));
    worker.on('error', () => this.#end('failed'));
  }

  #end(outcome: LateCheckOutcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#transaction.done();
    this.#onEnd(outcome);
  }
}
