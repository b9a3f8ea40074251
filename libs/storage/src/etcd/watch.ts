import type { ServiceError } from '@grpc/grpc-js';
import { compactedError } from '../ledger.ts';
import { StoreError, type StoreEvent, type WatchBatch, type WatchOptions } from '../store.ts';
import { storeErrorOf, type WatchStream } from './client.ts';
import { entryOf } from './entries.ts';
import { keyBytes, prefixEnd } from './keys.ts';
import type { Message } from './messages.ts';

/** What a watch needs to know of its store. */
export interface WatchSide {
  stream(): WatchStream;
  readonly signal: AbortSignal;
  /** The newest revision that the store has heard of. */
  known(): number;
  /** Calls when the store hears of a newer revision; returns the function that ends it. */
  onKnown(call: () => void): () => void;
  /** Whether nothing can be under way any more that the watch did not deliver, as far as one can tell without the watch. */
  settled(prefix: string, delivered: number, progress: number): Promise<boolean>;
}

/** How long a watch may lag behind what the store knows before it asks for progress. */
const lagMilliseconds = 100;

/** One watch on a stream of its own. */
export async function* watchEtcd(
  side: WatchSide,
  prefix: string,
  options: WatchOptions,
): AsyncGenerator<WatchBatch> {
  const { fromRevision, signal, progress = false } = options;
  if (signal.aborted) return;
  const watch = new EtcdWatch(side, prefix, fromRevision);
  const stop = () => watch.stop();
  const close = () => watch.fail(new StoreError('unavailable', 'the store is closed'));
  signal.addEventListener('abort', stop);
  side.signal.addEventListener('abort', close);
  try {
    watch.open(progress);
    if (side.signal.aborted) close();
    for (;;) {
      const batch = await watch.next();
      if (!batch || signal.aborted) return;
      yield batch;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    side.signal.removeEventListener('abort', close);
    watch.stop();
  }
}

class EtcdWatch {
  readonly #side: WatchSide;
  readonly #prefix: string;
  readonly #queue: WatchBatch[] = [];
  #delivered: number;
  #stream: WatchStream | undefined;
  #wake: (() => void) | undefined;
  #failure: StoreError | undefined;
  #stopped = false;
  #forgetKnown = () => {};
  #asking: NodeJS.Timeout | undefined;

  constructor(side: WatchSide, prefix: string, fromRevision: number) {
    this.#side = side;
    this.#prefix = prefix;
    this.#delivered = fromRevision;
  }

  open(progress: boolean): void {
    const stream = this.#side.stream();
    this.#stream = stream;
    stream.on('data', (response: Message<'WatchResponse'>) => this.#receive(response, progress));
    stream.on('error', (error: ServiceError) => this.fail(storeErrorOf(error)));
    stream.on('end', () => this.fail(new StoreError('unavailable', 'the server ended the watch')));
    const key = keyBytes(this.#prefix);
    stream.write({
      createRequest: {
        key,
        rangeEnd: prefixEnd(key),
        // Zero would mean: from now on.
        startRevision: this.#delivered + 1,
        prevKv: true,
        progressNotify: true,
      },
    });
    if (progress) this.#forgetKnown = this.#side.onKnown(() => this.#askSoon(lagMilliseconds));
  }

  async next(): Promise<WatchBatch | undefined> {
    while (this.#queue.length === 0) {
      if (this.#stopped) return undefined;
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const batch = this.#queue.shift();
    if (this.#queue.length < queueLimit / 2) this.#stream?.resume();
    return batch;
  }

  stop(): void {
    this.#stopped = true;
    this.#end();
  }

  fail(error: StoreError): void {
    this.#failure ??= error;
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#asking);
    this.#forgetKnown();
    this.#stream?.cancel();
    this.#wake?.();
  }

  #receive(response: Message<'WatchResponse'>, progress: boolean): void {
    if (this.#stopped || this.#failure) return;
    if (response.canceled) return this.fail(canceledError(response, this.#delivered));
    if (response.created) {
      if (progress) this.#askSoon(0);
    } else if (response.events.length > 0) this.#push(response.events.map(eventOf));
    else if (progress) void this.#progress(response.header?.revision ?? 0);
  }

  #push(events: StoreEvent[]): void {
    // What settled() proved to be without effect may still arrive.
    const fresh = events.filter((event) => event.entry.modRevision > this.#delivered);
    if (fresh.length === 0) return;
    this.#deliver({ revision: fresh.at(-1)!.entry.modRevision, events: fresh });
  }

  #deliver(batch: WatchBatch): void {
    this.#delivered = batch.revision;
    this.#queue.push(batch);
    if (this.#queue.length >= queueLimit) this.#stream?.pause();
    this.#wake?.();
  }

  async #progress(revision: number): Promise<void> {
    const delivered = this.#delivered;
    if (revision <= delivered || !(await this.#side.settled(this.#prefix, delivered, revision))) return;
    if (this.#delivered === delivered && !this.#stopped && !this.#failure)
      this.#deliver({ revision, events: [] });
  }

  /** Asks for progress, again and again while the watch is behind what the store knows. */
  #askSoon(milliseconds: number): void {
    if (this.#asking || this.#stopped || this.#failure) return;
    this.#asking = setTimeout(() => {
      this.#asking = undefined;
      if (this.#delivered >= this.#side.known()) return;
      this.#stream?.write({ progressRequest: {} });
      this.#askSoon(lagMilliseconds);
    }, milliseconds).unref();
  }
}

/** So many batches may wait for their reader before the server is asked to wait. */
const queueLimit = 64;

function canceledError(response: Message<'WatchResponse'>, delivered: number): StoreError {
  if (response.compactRevision > 0) return compactedError(delivered, response.compactRevision);
  return new StoreError(
    'unavailable',
    `the server ended the watch: ${response.cancelReason || 'no reason given'}`,
  );
}

const deleteType = 1;

function eventOf({ type, kv, prevKv }: Message<'Event'>): StoreEvent {
  const event: StoreEvent = { type: type === deleteType ? 'delete' : 'put', entry: entryOf(kv!) };
  if (prevKv) event.previous = entryOf(prevKv);
  return event;
}
