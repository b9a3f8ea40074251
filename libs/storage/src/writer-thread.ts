import { Worker } from 'node:worker_threads';
import { storeError, type WriterReply, type WriterRequest } from './lmdb-protocol.ts';
import { StoreError } from './store.ts';

interface Pending {
  resolve(reply: WriterReply): void;
  reject(error: Error): void;
}

/** The near end of the thread that writes a directory. */
export class WriterThread {
  readonly #worker: Worker;
  readonly #pending: Pending[] = [];
  readonly #exited: Promise<void>;
  #failure: StoreError | undefined;

  constructor(directory: string) {
    this.#worker = new Worker(new URL('./lmdb-writer.ts', import.meta.url), { workerData: { directory } });
    this.#worker.unref();
    this.#worker.on('message', (reply: WriterReply) => this.#settle(reply));
    this.#worker.on('error', (error) => this.#fail(`the writer of ${directory} failed: ${error.message}`));
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#fail(`the writer of ${directory} has ended`);
        resolve();
      });
    });
  }

  async request(request: WriterRequest): Promise<WriterReply> {
    if (this.#failure) throw this.#failure;
    const { promise, resolve, reject } = Promise.withResolvers<WriterReply>();
    this.#pending.push({ resolve, reject });
    // The process must not end before a write that it waits for.
    this.#worker.ref();
    this.#worker.postMessage(request);
    const reply = await promise;
    if (reply.kind === 'failed') throw storeError(reply.error);
    return reply;
  }

  async close(): Promise<void> {
    this.#worker.ref();
    if (!this.#failure) this.#worker.postMessage({ kind: 'close' } satisfies WriterRequest);
    await this.#exited;
  }

  #settle(reply: WriterReply): void {
    this.#pending.shift()?.resolve(reply);
    if (this.#pending.length === 0) this.#worker.unref();
  }

  #fail(message: string): void {
    this.#failure ??= new StoreError('unavailable', message);
    for (const { reject } of this.#pending.splice(0)) reject(this.#failure);
  }
}
