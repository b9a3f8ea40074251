import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { LmdbLedger } from './lmdb-ledger.ts';
import { type WriterMessage, type WriterReply, type WriterRequest } from './lmdb-protocol.ts';
import { storeError } from '../plain-error.ts';
import { transact } from './lmdb-transactions.ts';
import { StoreError } from '../store.ts';

interface Pending {
  resolve(reply: WriterReply): void;
  reject(error: Error): void;
}

/**
 * The main-thread side of the writer thread of a directory. The thread starts at the first write after some
 * time: it would compete with the rest of the startup, and takes 15 MB, which a server without writes saves.
 * Until it runs, the few writes are executed on the main thread.
 */
export class WriterThread {
  readonly #ledger: LmdbLedger;
  /** When writes start the thread, in milliseconds of `performance.now()`. */
  readonly #startFrom: number;
  readonly #pending: Pending[] = [];
  #worker: Worker | undefined;
  #ready = false;
  #exited = Promise.resolve();
  #failure: StoreError | undefined;

  constructor(ledger: LmdbLedger, startAfterMilliseconds: number) {
    this.#ledger = ledger;
    this.#startFrom = performance.now() + startAfterMilliseconds;
  }

  async request(request: WriterRequest): Promise<WriterReply> {
    if (this.#failure) throw this.#failure;
    if (this.#worker === undefined && performance.now() >= this.#startFrom) this.#worker = this.#start();
    // A caller that writes in a loop would otherwise keep timers and sockets, and the start of the thread, waiting forever.
    if (!this.#ready) await setImmediate();
    const reply = this.#ready ? await this.#post(request) : transact(this.#ledger, request);
    if (reply.kind === 'failed') throw storeError(reply.error);
    return reply;
  }

  async close(): Promise<void> {
    this.#worker?.ref();
    this.#worker?.postMessage('close' satisfies WriterMessage);
    await this.#exited;
  }

  #start(): Worker {
    const { directory } = this.#ledger;
    const worker = new Worker(new URL('./lmdb-writer.ts', import.meta.url), {
      workerData: { directory },
      // Options of the process, such as --input-type, may make a thread fail.
      execArgv: [],
      // It stores only the messages in progress; the default heap would be a tenth of the process.
      resourceLimits: { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 256 },
    });
    const exited = Promise.withResolvers<void>();
    this.#exited = exited.promise;
    worker.unref();
    worker.on('message', (message: WriterReply | 'ready') => {
      if (message !== 'ready') return this.#settle(message);
      this.#ready = true;
    });
    worker.on('error', (error) => this.#fail(`the writer of ${directory} failed: ${error.message}`));
    worker.on('exit', () => {
      this.#fail(`the writer of ${directory} exited`);
      exited.resolve();
    });
    return worker;
  }

  #post(request: WriterRequest): Promise<WriterReply> {
    const { promise, resolve, reject } = Promise.withResolvers<WriterReply>();
    this.#pending.push({ resolve, reject });
    // The process must not end before a pending write.
    this.#worker?.ref();
    this.#worker?.postMessage(request);
    return promise;
  }

  #settle(reply: WriterReply): void {
    this.#pending.shift()?.resolve(reply);
    if (this.#pending.length === 0) this.#worker?.unref();
  }

  #fail(message: string): void {
    this.#failure ??= new StoreError('unavailable', message);
    for (const { reject } of this.#pending.splice(0)) reject(this.#failure);
  }
}
