import type { MessagePort } from 'node:worker_threads';
import { type Store, StoreError } from '../store.ts';
import {
  errorInMessage,
  maxUnreadBatches,
  type StoreCall,
  type StoreMethod,
  type StoreReply,
  type StoreRequest,
} from './protocol.ts';
import { type SharedValues } from './shared-values.ts';

/** Serves a store to the thread at the other end of a port, until the port is closed. */
export function serveStore(store: Store, values: SharedValues, port: MessagePort): void {
  const watches = new Map<number, ServedWatch>();
  const post = (reply: StoreReply) => port.postMessage(reply);
  port.on('message', (request: StoreRequest) => {
    if (request.kind === 'call') void call(store, values, request).then(post);
    else if (request.kind === 'more') watches.get(request.id)?.allow(request.batches);
    else if (request.kind === 'cancel') watches.get(request.id)?.end();
    else {
      const { id, prefix, fromRevision, progress } = request;
      const watch = new ServedWatch();
      watches.set(id, watch);
      const batches = store.watch(prefix, { fromRevision, progress, signal: watch.signal });
      void watch
        .send(batches, (batch) => post({ kind: 'batch', id, batch: values.batch(batch) }))
        .catch((error: unknown) => post({ kind: 'ended', id, error: errorInMessage(error) }))
        .finally(() => watches.delete(id));
    }
  });
  port.once('close', () => {
    for (const watch of watches.values()) watch.end();
  });
  // The connections of the other thread keep the process running, not this port.
  port.unref();
}

/** A watch that another thread reads. It is paused while that thread has {@link maxUnreadBatches}. */
class ServedWatch {
  readonly #stop = new AbortController();
  #allowed = maxUnreadBatches;
  #wake: (() => void) | undefined;

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  allow(batches: number): void {
    this.#allowed += batches;
    this.#wake?.();
  }

  end(): void {
    this.#stop.abort();
    this.#wake?.();
  }

  /** Sends all batches. Rejects with the error that ends the watch. */
  async send<T>(batches: AsyncIterable<T>, send: (batch: T) => void): Promise<void> {
    for await (const batch of batches) {
      if (this.signal.aborted) return;
      send(batch);
      if (--this.#allowed === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

type Methods = {
  [M in StoreMethod]: (
    store: Store,
    values: SharedValues,
    args: Parameters<NonNullable<Store[M]>>,
  ) => Promise<unknown>;
};

const methods: Methods = {
  get: async (store, values, args) => values.get(await store.get(...args)),
  list: async (store, values, args) => values.list(await store.list(...args)),
  create: (store, _values, args) => store.create(...args),
  createAll: (store, _values, args) => store.createAll!(...args),
  update: (store, _values, args) => store.update(...args),
  delete: async (store, values, args) => values.deletion(await store.delete(...args)),
  compact: (store, _values, args) => store.compact(...args),
};

async function call<M extends StoreMethod>(
  store: Store,
  values: SharedValues,
  { id, method, args }: StoreCall<M>,
): Promise<StoreReply> {
  try {
    return { kind: 'result', id, result: await methods[method](store, values, args) };
  } catch (error) {
    return { kind: 'error', id, error: errorInMessage(withSharedEntry(error, values)) };
  }
}

/** A view of a pooled buffer in a message would copy the whole pool. */
function withSharedEntry(error: unknown, values: SharedValues): unknown {
  if (!(error instanceof StoreError) || error.current === undefined) return error;
  const { code, message, revision } = error;
  const about = revision === undefined ? {} : { revision };
  return new StoreError(code, message, { current: values.entry(error.current), ...about });
}
