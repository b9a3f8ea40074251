import type { ServerDuplexStream } from '@grpc/grpc-js';
import { type Store, StoreError, type StoreEvent } from '../store.ts';
import { failureOf } from './failures.ts';
import { keyRange } from './key-range.ts';
import { maxEtcdWatches } from './limits.ts';
import type { Message, MessageDraft } from './messages.ts';
import { keyValue } from './range-service.ts';

/** The stream of one client, with any number of watches. */
export type WatchCall = ServerDuplexStream<Message<'WatchRequest'>, MessageDraft<'WatchResponse'>>;

interface Watch {
  id: number;
  stop: AbortController;
  /** Everything up to this revision was sent. */
  position: number;
  /** Sends periodic progress responses. */
  notify: boolean;
  /** An event was sent since the last progress response. */
  busy: boolean;
}

const putType = 0;
const deleteType = 1;
const noPut = 0;
const noDelete = 1;
const forAll = -1;

/** Serves one watch stream of etcd. */
export class WatchSession {
  readonly #store: Store;
  readonly #call: WatchCall;
  readonly #watches = new Map<number, Watch>();
  readonly #notifying: NodeJS.Timeout;
  #progressRequests: number[] = [];
  #nextId = 0;
  #sent = Promise.resolve();

  constructor(store: Store, call: WatchCall, notifyMilliseconds: number) {
    this.#store = store;
    this.#call = call;
    this.#notifying = setInterval(() => this.#notify(), notifyMilliseconds).unref();
    void this.#takeAll();
    call.on('cancelled', () => this.#end());
    call.on('error', () => this.#end());
  }

  /**
   * Handles one request after another: a client that does not read responses cannot continue with requests.
   */
  async #takeAll(): Promise<void> {
    try {
      // Leaving the loop must not destroy the call: its status is not sent yet.
      const requests: AsyncIterable<Message<'WatchRequest'>> = this.#call.iterator({
        destroyOnReturn: false,
      });
      for await (const request of requests) await this.#take(request);
      this.#end();
      this.#call.end();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #take({ createRequest, cancelRequest, progressRequest }: Message<'WatchRequest'>): Promise<void> {
    if (createRequest) await this.#create(createRequest);
    else if (cancelRequest) await this.#cancel(cancelRequest.watchId);
    else if (progressRequest) {
      this.#requestProgress(await this.#store.currentRevision());
      await this.#sendProgress();
    }
  }

  async #create(request: Message<'WatchCreateRequest'>): Promise<void> {
    const revision = await this.#store.currentRevision();
    const id = request.watchId || this.#freeId();
    if (this.#watches.has(id) || this.#watches.size >= maxEtcdWatches) {
      const cancelReason = this.#watches.has(id)
        ? 'etcdserver: duplicate watch ID'
        : 'etcdserver: too many watches';
      await this.#send({
        header: { revision },
        watchId: forAll,
        created: true,
        canceled: true,
        cancelReason,
      });
      return;
    }
    const position = request.startRevision > 0 ? request.startRevision - 1 : revision;
    const watch: Watch = {
      id,
      position,
      stop: new AbortController(),
      notify: request.progressNotify,
      busy: false,
    };
    this.#watches.set(id, watch);
    await this.#send({ header: { revision }, watchId: id, created: true });
    this.#run(watch, request).catch((error: unknown) => this.#broken(watch, error));
  }

  async #run(watch: Watch, request: Message<'WatchCreateRequest'>): Promise<void> {
    const { prefix, includes } = keyRange(request.key, request.rangeEnd);
    const requested = ({ type, entry }: StoreEvent) =>
      !request.filters.includes(type === 'put' ? noPut : noDelete) && (includes?.(entry.key) ?? true);
    const { signal } = watch.stop;
    for await (const batch of this.#store.watch(prefix, {
      fromRevision: watch.position,
      signal,
      progress: true,
    })) {
      const events = batch.events.filter(requested).map((event) => eventMessage(event, request.prevKv));
      if (events.length > 0) {
        watch.busy = true;
        await this.#send({ header: { revision: batch.revision }, watchId: watch.id, events });
      }
      watch.position = batch.revision;
      if (this.#progressRequests.length > 0) await this.#sendProgress();
    }
  }

  async #cancel(id: number): Promise<void> {
    const watch = this.#watches.get(id);
    if (!watch) return;
    watch.stop.abort();
    this.#watches.delete(id);
    await this.#send({
      header: { revision: await this.#store.currentRevision() },
      watchId: id,
      canceled: true,
    });
    await this.#sendProgress();
  }

  /** Ends one watch because of its error, or the stream if the store is closed. */
  async #broken(watch: Watch, error: unknown): Promise<void> {
    if (!(error instanceof StoreError && error.code === 'compacted')) return this.#fail(error);
    this.#watches.delete(watch.id);
    const revision = await this.#store.currentRevision();
    const compactRevision = error.revision ?? 0;
    await this.#send({ header: { revision }, watchId: watch.id, canceled: true, compactRevision });
    await this.#sendProgress();
  }

  /**
   * Of the waiting requests, the first and the last matter: the first is reached soonest, the last includes
   * all others.
   */
  #requestProgress(revision: number): void {
    this.#progressRequests.splice(1, 1, revision);
  }

  /** Responds to the progress requests that all watches have reached. */
  async #sendProgress(): Promise<void> {
    const position = Math.min(...[...this.#watches.values()].map((watch) => watch.position));
    const reached = this.#progressRequests.filter((revision) => revision <= position);
    if (reached.length === 0) return;
    this.#progressRequests = this.#progressRequests.filter((revision) => revision > position);
    await this.#send({ header: { revision: Math.max(...reached) }, watchId: forAll });
  }

  #notify(): void {
    // A client that has not read earlier responses does not benefit from more.
    if (this.#call.writableNeedDrain) return;
    for (const watch of this.#watches.values()) {
      if (watch.notify && !watch.busy)
        void this.#send({ header: { revision: watch.position }, watchId: watch.id });
      watch.busy = false;
    }
  }

  /** Sends after all earlier responses, so that only a few responses wait for a slow client. */
  #send(response: MessageDraft<'WatchResponse'>): Promise<void> {
    return (this.#sent = this.#sent.then(() => this.#write(response)));
  }

  async #write(response: MessageDraft<'WatchResponse'>): Promise<void> {
    if (this.#call.cancelled || this.#call.writableEnded) return;
    if (this.#call.write(response)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        for (const event of ['drain', 'cancelled', 'close', 'error']) this.#call.off(event, done);
        resolve();
      };
      for (const event of ['drain', 'cancelled', 'close', 'error']) this.#call.on(event, done);
    });
  }

  #freeId(): number {
    while (this.#watches.has(this.#nextId)) this.#nextId++;
    return this.#nextId++;
  }

  #fail(error: unknown): void {
    this.#end();
    const { code, details } = failureOf(error);
    this.#call.emit('error', { code, details });
  }

  #end(): void {
    clearInterval(this.#notifying);
    for (const { stop } of this.#watches.values()) stop.abort();
    this.#watches.clear();
  }
}

function eventMessage({ type, entry, previous }: StoreEvent, prevKv: boolean): MessageDraft<'Event'> {
  const kv = keyValue(entry);
  // A deleted key has no version and no create revision.
  if (type === 'delete') Object.assign(kv, { version: 0, createRevision: 0 });
  const event: MessageDraft<'Event'> = { type: type === 'put' ? putType : deleteType, kv };
  if (prevKv && previous) event.prevKv = keyValue(previous);
  return event;
}
