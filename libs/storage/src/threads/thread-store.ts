import type { MessagePort } from 'node:worker_threads';
import {
  type DeleteResult,
  type GetResult,
  type ListOptions,
  type ListResult,
  type NewEntry,
  type Store,
  type StoreCapabilities,
  StoreError,
  type WatchBatch,
  type WatchOptions,
  type WriteOptions,
} from '../store.ts';
import {
  closedRevision,
  errorOfMessage,
  maxUnreadBatches,
  type StoreConnection,
  type StoreMethod,
  type StoreReply,
  type StoreRequest,
} from './protocol.ts';
import { sharedValue } from './shared-values.ts';

/** Opens a store that another thread shares. Closing it ends this connection only. */
export const openThreadStore = (connection: StoreConnection): Store => new ThreadStore(connection);

interface Pending {
  resolve(result: never): void;
  reject(error: Error): void;
}

class ThreadStore implements Store {
  readonly capabilities: StoreCapabilities;
  readonly #port: MessagePort;
  readonly #revisions: BigInt64Array;
  readonly #calls = new Map<number, Pending>();
  readonly #watches = new Map<number, ReceivedWatch>();
  #lastId = 0;
  #closed = false;

  constructor({ capabilities, port, revisions }: StoreConnection) {
    this.capabilities = capabilities;
    this.#port = port;
    this.#revisions = new BigInt64Array(revisions);
    port.on('message', (reply: StoreReply) => this.#receive(reply));
    port.once('close', () => this.#end());
  }

  get revision(): number | undefined {
    const revision = Atomics.load(this.#revisions, 0);
    return this.#closed || revision === closedRevision ? undefined : Number(revision);
  }

  get compacted(): number | undefined {
    return this.#closed ? undefined : Number(Atomics.load(this.#revisions, 1));
  }

  async currentRevision(): Promise<number> {
    const { revision } = this;
    if (revision === undefined) throw closedError();
    return revision;
  }

  get(key: string, options: { revision?: number } = {}): Promise<GetResult> {
    return this.#call('get', [key, options]);
  }

  list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    return this.#call('list', [prefix, options]);
  }

  create(key: string, value: Uint8Array, options: WriteOptions = {}): Promise<number> {
    return this.#call('create', [key, sharedValue(value), options]);
  }

  get createAll(): Store['createAll'] {
    if (this.capabilities.batches !== true) return undefined;
    return (entries: readonly NewEntry[]) => {
      const shared = entries.map(({ key, value }) => ({ key, value: sharedValue(value) }));
      return this.#call('createAll', [shared]);
    };
  }

  update(key: string, value: Uint8Array, expected: number, options: WriteOptions = {}): Promise<number> {
    return this.#call('update', [key, sharedValue(value), expected, options]);
  }

  delete(key: string, expected?: number): Promise<DeleteResult> {
    return this.#call('delete', [key, expected]);
  }

  async *watch(prefix: string, options: WatchOptions): AsyncGenerator<WatchBatch, void, void> {
    const { fromRevision, signal, progress = false } = options;
    if (this.#closed) throw closedError();
    const id = ++this.#lastId;
    const watch = new ReceivedWatch();
    const wake = () => watch.wake();
    this.#watches.set(id, watch);
    signal.addEventListener('abort', wake);
    try {
      this.#post({ kind: 'watch', id, prefix, fromRevision, progress });
      for (let taken = 1; !signal.aborted; taken++) {
        const batch = await watch.next(signal);
        if (batch === undefined) return;
        if (taken % batchesPerMessage === 0) this.#post({ kind: 'more', id, batches: batchesPerMessage });
        yield batch;
      }
    } finally {
      signal.removeEventListener('abort', wake);
      if (this.#watches.delete(id) && !this.#closed) this.#post({ kind: 'cancel', id });
    }
  }

  compact(revision: number): Promise<void> {
    return this.#call('compact', [revision]);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#end();
    this.#port.close();
  }

  #end(): void {
    this.#closed = true;
    const error = closedError();
    for (const { reject } of this.#calls.values()) reject(error);
    for (const watch of this.#watches.values()) watch.end(error);
    this.#calls.clear();
    this.#watches.clear();
  }

  #call<M extends StoreMethod>(
    method: M,
    args: Parameters<NonNullable<Store[M]>>,
  ): ReturnType<NonNullable<Store[M]>> {
    const { promise, resolve, reject } = Promise.withResolvers<never>();
    if (this.#closed) reject(closedError());
    else {
      const id = ++this.#lastId;
      this.#calls.set(id, { resolve, reject });
      this.#post({ kind: 'call', id, method, args });
    }
    return promise as ReturnType<NonNullable<Store[M]>>;
  }

  #post(request: StoreRequest): void {
    this.#port.postMessage(request);
  }

  #receive(reply: StoreReply): void {
    if (reply.kind === 'batch') this.#watches.get(reply.id)?.push(reply.batch);
    else if (reply.kind === 'ended') {
      const watch = this.#watches.get(reply.id);
      this.#watches.delete(reply.id);
      watch?.end(errorOfMessage(reply.error));
    } else {
      const call = this.#calls.get(reply.id);
      this.#calls.delete(reply.id);
      if (reply.kind === 'result') call?.resolve(reply.result as never);
      else call?.reject(errorOfMessage(reply.error));
    }
  }
}

/** Processed batches are reported together. */
const batchesPerMessage = maxUnreadBatches / 2;

/** The batches of a watch that arrived and are not read yet. */
class ReceivedWatch {
  readonly #batches: WatchBatch[] = [];
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  push(batch: WatchBatch): void {
    this.#batches.push(batch);
    this.wake();
  }

  /** Ends the watch after the batches that arrived. */
  end(error: Error): void {
    this.#error = error;
    this.wake();
  }

  wake(): void {
    this.#wake?.();
  }

  /** Resolves to the next batch, and to `undefined` after the signal. Rejects at the end of the watch. */
  async next(signal: AbortSignal): Promise<WatchBatch | undefined> {
    while (!signal.aborted) {
      const batch = this.#batches.shift();
      if (batch !== undefined) return batch;
      if (this.#error !== undefined) throw this.#error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return undefined;
  }
}

const closedError = (): StoreError => new StoreError('unavailable', 'the store is closed');
