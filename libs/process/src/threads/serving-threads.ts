import { randomBytes } from 'node:crypto';
import { MessageChannel, Worker } from 'node:worker_threads';
import { OperatorError } from '@annex/runtime';
import type { StoreConnection } from '@annex/storage';
import type { ServerConfig } from '../options.ts';
import { MainThreadGroup, type MemberThread } from './thread-group.ts';
import type { ThreadLink } from './thread-link.ts';

/** Bytes of the keys of TLS session tickets. */
const ticketKeyBytes = 48;

/** The threads to start. */
export interface ServingThreadsOptions {
  /** The file of a thread: it calls `serveInThread`. */
  entry: URL;
  /** The number of threads, this one included. */
  size: number;
  config: ServerConfig;
}

/** What a thread gets at its start. */
export interface ThreadData extends MemberThread {
  config: ServerConfig;
}

/** What a thread needs to serve. */
export interface ThreadStart {
  port: number;
  /** Absent if each thread opens the store itself. */
  store: StoreConnection | undefined;
}

/** The threads that serve a port together with this one. They load their code at once, and serve after `start` and `open`. */
export class ServingThreads extends MainThreadGroup {
  /** Connects a thread with the store of this one. Default: each thread opens the store itself. */
  connectStore: (() => StoreConnection) | undefined;
  readonly ended: Promise<Error>;
  readonly #threads: { worker: Worker; link: ThreadLink }[] = [];
  #isStopping = false;

  constructor({ config, entry, size }: ServingThreadsOptions) {
    super(size, randomBytes(ticketKeyBytes));
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.ended = promise;
    for (let index = 1; index < size; index++) {
      const { port1, port2 } = new MessageChannel();
      const { ticketKeys } = this;
      const workerData: ThreadData = { index, size, ticketKeys, port: port2, config };
      // Options of the process, such as --input-type, may make a thread fail.
      const worker = new Worker(entry, {
        workerData,
        transferList: [port2],
        name: `serving ${index}`,
        execArgv: [],
      });
      const failed = (why: string) => {
        if (!this.#isStopping) resolve(failure(index, why));
      };
      worker.on('error', (error) => failed(error.stack ?? String(error)));
      worker.on('exit', (code) => failed(`it ended with code ${code}`));
      this.#threads.push({ worker, link: this.add(port1) });
    }
  }

  async start(port: number): Promise<void> {
    await this.#each((link) => {
      const store = this.connectStore?.();
      const start: ThreadStart = { port, store };
      return link.call('start', start, store === undefined ? [] : [store.port]);
    });
  }

  async open(): Promise<void> {
    await this.#each((link) => link.call('open'));
  }

  /** Calls all threads. Rejects with the error of the first one that fails or ends. */
  async #each(call: (link: ThreadLink) => Promise<unknown>): Promise<void> {
    const called = this.#threads.map(({ link }, i) =>
      call(link).catch((error: Error) => Promise.reject(failure(i + 1, error.message))),
    );
    const failed = this.ended.then((error) => Promise.reject(error));
    await Promise.race([Promise.all(called), failed]);
  }

  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const stopped = await Promise.allSettled(this.#threads.map(({ link }) => link.call('stop')));
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()));
    const errors = stopped.flatMap((one) =>
      one.status === 'rejected' ? [String(one.reason)] : (one.value as string[]),
    );
    if (errors.length > 0) throw new Error(errors.join('; '));
  }
}

const failure = (index: number, why: string): OperatorError =>
  new OperatorError('SERVING_THREAD_FAILED', `serving thread ${index} failed: ${why}`);
