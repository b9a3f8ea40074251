import type { ServiceError } from '@grpc/grpc-js';
import { compactedError } from '../ledger.ts';
import { StoreError, type StoreEvent, type WatchBatch, type WatchOptions } from '../store.ts';
import { storeErrorOf, type WatchStream } from './client.ts';
import { entryOf } from './entries.ts';
import { keyBytes, prefixEnd } from './keys.ts';
import type { Message } from './messages.ts';

/** What a watch needs from its store. */
export interface WatchSide {
  stream(): WatchStream;
  readonly signal: AbortSignal;
  /** The newest revision that the store has observed. */
  observedRevision(): number;
  /** Registers a callback for newer revisions; returns the function that removes it. */
  onObserved(call: () => void): () => void;
  /** Whether no undelivered event can remain, as far as it can be determined without the watch. */
  settled(prefix: string, delivered: number, progress: number): Promise<boolean>;
}

/** How long a watch may lag behind the observed revision before it requests progress. */
const lagMilliseconds = 100;

/** How long a server may leave a request for progress without a response. The watch then fails: another server may respond. */
export const watchSilenceTimeoutMs = 5000;

/** A watch on a separate stream. */
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
  #queuedBytes = 0;
  #delivered: number;
  #stream: WatchStream | undefined;
  #wake: (() => void) | undefined;
  #failure: StoreError | undefined;
  /** Events of a revision whose other events can follow. */
  #held: StoreEvent[] = [];
  #stopped = false;
  #forgetKnown = () => {};
  #isSettling = false;
  #asking: NodeJS.Timeout | undefined;
  /** When the oldest request for progress without a response was sent. */
  #silentSince: number | undefined;

  constructor(side: WatchSide, prefix: string, fromRevision: number) {
    this.#side = side;
    this.#prefix = prefix;
    this.#delivered = fromRevision;
  }

  open(progress: boolean): void {
    const stream = this.#side.stream();
    this.#stream = stream;
    stream.on('data', (response: Message<'WatchResponse'>) => {
      try {
        this.#receive(response, progress);
      } catch (error) {
        this.fail(invalidResponse((error as Error).message));
      }
    });
    stream.on('error', (error: ServiceError) => this.fail(storeErrorOf(error)));
    stream.on('end', () => this.fail(new StoreError('unavailable', 'the server ended the watch')));
    const key = keyBytes(this.#prefix);
    stream.write({
      createRequest: {
        key,
        rangeEnd: prefixEnd(key),
        // Zero would mean the current revision.
        startRevision: this.#delivered + 1,
        prevKv: true,
        progressNotify: true,
        // etcd then divides what is longer than a request can be, and one revision among several responses.
        fragment: true,
      },
    });
    if (progress)
      this.#forgetKnown = this.#side.onObserved(() => this.#scheduleProgressRequest(lagMilliseconds));
  }

  async next(): Promise<WatchBatch | undefined> {
    while (this.#queue.length === 0) {
      if (this.#stopped) return undefined;
      if (this.#failure) throw this.#failure;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const batch = this.#queue.shift();
    if (batch !== undefined) this.#queuedBytes -= sizeOf(batch);
    if (this.#queue.length < queueLimit / 2 && this.#queuedBytes <= maxQueuedWatchBytes)
      this.#stream?.resume();
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
    this.#silentSince = undefined;
    if (this.#stopped || this.#failure) return;
    if (response.canceled) return this.fail(canceledError(response, this.#delivered));
    if (response.created) {
      if (progress) this.#scheduleProgressRequest(0);
    } else if (response.events.length > 0) this.#push(this.#wholeRevisions(response));
    else if (progress) void this.#progress(response.header?.revision ?? 0);
  }

  /** Returns the events of the revisions that are complete with a response. */
  #wholeRevisions({ events, fragment }: Message<'WatchResponse'>): StoreEvent[] {
    const all = this.#held;
    for (const event of events) all.push(eventOf(event));
    const last = all.at(-1)?.entry.modRevision;
    const end = fragment ? all.findIndex(({ entry }) => entry.modRevision === last) : all.length;
    this.#held = all.splice(end);
    if (this.#held.length > maxRevisionEvents)
      throw new Error(`a revision has more than ${maxRevisionEvents} events`);
    return all;
  }

  #push(events: StoreEvent[]): void {
    // Events that settled() proved to be without effect may still arrive.
    const fresh = events.filter((event) => event.entry.modRevision > this.#delivered);
    if (fresh.length === 0) return;
    requireAscending(fresh);
    this.#deliver({ revision: fresh.at(-1)!.entry.modRevision, events: fresh });
  }

  #deliver(batch: WatchBatch): void {
    this.#delivered = batch.revision;
    this.#queue.push(batch);
    this.#queuedBytes += sizeOf(batch);
    if (this.#queue.length >= queueLimit || this.#queuedBytes > maxQueuedWatchBytes) this.#stream?.pause();
    this.#wake?.();
  }

  async #progress(revision: number): Promise<void> {
    const delivered = this.#delivered;
    // A server that reports progress without end causes one check at a time.
    if (revision <= delivered || this.#isSettling) return;
    this.#isSettling = true;
    const isSettled = await this.#side.settled(this.#prefix, delivered, revision);
    this.#isSettling = false;
    if (!isSettled) return;
    if (this.#delivered === delivered && !this.#stopped && !this.#failure)
      this.#deliver({ revision, events: [] });
  }

  /** Requests progress repeatedly while the watch lags behind the observed revision. */
  #scheduleProgressRequest(milliseconds: number): void {
    if (this.#asking || this.#stopped || this.#failure) return;
    this.#asking = setTimeout(() => {
      this.#asking = undefined;
      if (this.#delivered >= this.#side.observedRevision()) return;
      this.#silentSince ??= performance.now();
      if (performance.now() - this.#silentSince > watchSilenceTimeoutMs && !this.#stream?.isPaused())
        return this.fail(new StoreError('unavailable', 'the server does not respond to the watch'));
      this.#stream?.write({ progressRequest: {} });
      this.#scheduleProgressRequest(lagMilliseconds);
    }, milliseconds).unref();
  }
}

/** Batches that wait for the reader before the stream is paused. */
const queueLimit = 64;

/** Bytes of values that wait for the reader before the stream is paused; one more response can arrive. */
export const maxQueuedWatchBytes = 16 * 1024 * 1024;

/** Events of one revision in several responses. A lease of kube-apiserver has 1,000 keys. */
export const maxRevisionEvents = 100_000;

const sizeOf = ({ events }: WatchBatch): number =>
  events.reduce((sum, { entry, previous }) => sum + entry.value.length + (previous?.value.length ?? 0), 0);

/** Events in another order would move the watch back: it would deliver them again. */
function requireAscending(events: readonly StoreEvent[]): void {
  for (const [i, { entry }] of events.entries()) {
    if (i > 0 && entry.modRevision < events[i - 1]!.entry.modRevision)
      throw new Error('the events are not in the order of their revisions');
  }
}

const invalidResponse = (why: string): StoreError =>
  new StoreError('unavailable', `the response of etcd to a watch is invalid: ${why}`);

function canceledError(response: Message<'WatchResponse'>, delivered: number): StoreError {
  if (response.compactRevision > 0) return compactedError(delivered, response.compactRevision);
  return new StoreError(
    'unavailable',
    `the server ended the watch: ${response.cancelReason || 'no reason given'}`,
  );
}

const deleteType = 1;

function eventOf({ type, kv, prevKv }: Message<'Event'>): StoreEvent {
  if (!kv) throw new Error('an event has no key');
  const event: StoreEvent = { type: type === deleteType ? 'delete' : 'put', entry: entryOf(kv) };
  if (prevKv) event.previous = entryOf(prevKv);
  return event;
}
