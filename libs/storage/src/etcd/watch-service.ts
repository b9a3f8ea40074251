import type { ServerDuplexStream } from '@grpc/grpc-js';
import { type Store, StoreError, type StoreEvent } from '../store.ts';
import { failureOf } from './failures.ts';
import { keyRange } from './key-range.ts';
import { maxEtcdWatches } from './limits.ts';
import type { Message, MessageDraft } from './messages.ts';
import { keyValue } from './range-service.ts';

/** The stream of one client, with any number of watches on it. */
export type WatchCall = ServerDuplexStream<Message<'WatchRequest'>, MessageDraft<'WatchResponse'>>;

interface Watch {
  id: number;
  stop: AbortController;
  /** Everything up to here was sent. */
  position: number;
  /** Sends a progress answer by itself from time to time. */
  notify: boolean;
  /** Something was sent since the last such answer. */
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
  #progressWanted: number[] = [];
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

  /** One request after the other: a client that does not read the responses cannot go on with requests. */
  async #takeAll(): Promise<void> {
    try {
      // Leaving the loop must not destroy the call: its status is still to be sent.
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
      this.#wantProgress(await this.#store.currentRevision());
      await this.#answerProgress();
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
    const { prefix, holds } = keyRange(request.key, request.rangeEnd);
    const wanted = ({ type, entry }: StoreEvent) =>
      !request.filters.includes(type === 'put' ? noPut : noDelete) && (holds?.(entry.key) ?? true);
    const { signal } = watch.stop;
    for await (const batch of this.#store.watch(prefix, {
      fromRevision: watch.position,
      signal,
      progress: true,
    })) {
      const events = batch.events.filter(wanted).map((event) => eventMessage(event, request.prevKv));
      if (events.length > 0) {
        watch.busy = true;
        await this.#send({ header: { revision: batch.revision }, watchId: watch.id, events });
      }
      watch.position = batch.revision;
      if (this.#progressWanted.length > 0) await this.#answerProgress();
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
    await this.#answerProgress();
  }

  /** Ends one watch for a reason that lies in it, or the stream where the store is gone. */
  async #broken(watch: Watch, error: unknown): Promise<void> {
    if (!(error instanceof StoreError && error.code === 'compacted')) return this.#fail(error);
    this.#watches.delete(watch.id);
    const revision = await this.#store.currentRevision();
    const compactRevision = error.revision ?? 0;
    await this.#send({ header: { revision }, watchId: watch.id, canceled: true, compactRevision });
    await this.#answerProgress();
  }

  /** Of the requests that wait, the first and the last matter: the first one is reached soonest, the last one includes all others. */
  #wantProgress(revision: number): void {
    this.#progressWanted.splice(1, 1, revision);
  }

  /** Answers the requests for progress that all watches have come up to. */
  async #answerProgress(): Promise<void> {
    const position = Math.min(...[...this.#watches.values()].map((watch) => watch.position));
    const reached = this.#progressWanted.filter((revision) => revision <= position);
    if (reached.length === 0) return;
    this.#progressWanted = this.#progressWanted.filter((revision) => revision > position);
    await this.#send({ header: { revision: Math.max(...reached) }, watchId: forAll });
  }

  #notify(): void {
    // A client that has not read what was sent learns nothing from more of it.
    if (this.#call.writableNeedDrain) return;
    for (const watch of this.#watches.values()) {
      if (watch.notify && !watch.busy)
        void this.#send({ header: { revision: watch.position }, watchId: watch.id });
      watch.busy = false;
    }
  }

  /** Sends after everything else is sent, so that no more than a few responses wait for a client that does not read. */
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
  // What is deleted has no version and no time of creation any more.
  if (type === 'delete') Object.assign(kv, { version: 0, createRevision: 0 });
  const event: MessageDraft<'Event'> = { type: type === 'put' ? putType : deleteType, kv };
  if (prevKv && previous) event.prevKv = keyValue(previous);
  return event;
}
