import type { Buffer } from 'node:buffer';
import { randomInt } from 'node:crypto';
import { requestedUpgrade } from '@annex/http';
import { type KubeObject, type Query, StatusError, expired, failure, internalError } from '@annex/machinery';
import { type CacheEvent, StoreError, type StoredObject } from '@annex/storage';
import type { ListOptions } from '../queries/list-options.ts';
import { negotiateStream, requireStream } from '../encoding/negotiation.ts';
import { sendHead } from '../respond.ts';
import { type CollectionRequest, type Selection, collectionRequest } from '../queries/selection.ts';
import { awaitRevision } from './await-revision.ts';
import { withVersion } from '../stored-objects.ts';
import { includeObject } from '../encoding/table.ts';
import {
  type EventForm,
  type EventStream,
  type WatchEventType,
  bookmark,
  encodeError,
  encodeEvent,
  encodeExisting,
  encodedEvent,
  encodedLargeEvent,
  eventForm,
  eventStream,
} from '../encoding/watch-events.ts';
import { type WatchOutput, WatchStream } from '../watch-stream.ts';
import { requestedVersion } from './get.ts';
import { isLarge, pause } from '../large-objects.ts';
import type { RequestScope } from './request-scope.ts';
import { booleanParameter } from '@annex/kinds';

/** GET of a collection with `watch`: streams the changes after a revision. */
export async function watch(scope: RequestScope): Promise<void> {
  const { request, kind, objects, server } = scope;
  const as = negotiateStream(request.req.headers.accept, kind.behavior.objectForms);
  const requested = collectionRequest(kind, request.query, {
    // Under a path with /watch/, kube-apiserver reads the options as those of a list.
    watch: booleanParameter(request.query.get('watch')),
    name: request.info.name,
  });
  const from = requestedVersion(requested.options.resourceVersion);
  requireStream(as);
  const events = await eventStream(as.encoding);
  const include = as.as === 'Table' ? includeObject(request.query) : 'None';
  const form = eventForm({ kind, as: as.as, version: as.metaVersion, include, stream: events });
  // Changes follow any revision, so that only a watch from now on needs the newest.
  await (from === undefined ? objects.cache.waitFor() : objects.cache.waitFor(0));
  const stream = await openOutput(scope, events);
  if (stream === undefined) return;
  if ((requested.options.timeoutSeconds ?? 0) < 0) {
    stream.writeAll(endsImmediately(request.query, form));
    return stream.end();
  }
  const session = new WatchSession(scope, stream, requested, from, form);
  const { group, version, resource } = kind;
  const labels = { verb: 'WATCH', group, version, resource };
  server.running.inc(labels);
  try {
    await session.run(timeoutMs(requested.options));
  } finally {
    server.running.dec(labels);
  }
}

/** Starts the response. Returns `undefined` if the client asks for a WebSocket that cannot be opened. */
async function openOutput(
  { request, server: { watchers } }: RequestScope,
  { contentType, encoding }: EventStream,
): Promise<WatchOutput | undefined> {
  const { maxBufferedBytes } = watchers;
  if (requestedUpgrade(request.req)?.toLowerCase() !== 'websocket') {
    sendHead(request, 200, contentType);
    return new WatchStream(request.res, maxBufferedBytes);
  }
  const { openWebSocket, WebSocketStream } = await import('../web-socket-stream.ts');
  const socket = await openWebSocket(request);
  const isText = encoding !== 'application/vnd.kubernetes.protobuf';
  return socket && new WebSocketStream(socket, { maxBufferedBytes, isText });
}

/**
 * Returns the single event of a watch whose timeout is over before it begins: kube-apiserver fails to read the newest version. It selects at random whether it sends
 * that error before the end.
 */
const endsImmediately = (query: Query, form: EventForm) =>
  !query.get('resourceVersion') && !query.has('sendInitialEvents')
    ? [encodeError(failure('InternalError', 'context deadline exceeded').status, form)]
    : [];

/** The maximum delay of a Node timer. */
const maxTimeoutMs = 2 ** 31 - 1;

// Watches without a client timeout end at random within half an hour, so that clients do not reconnect
// simultaneously.
const timeoutMs = ({ timeoutSeconds }: ListOptions): number =>
  timeoutSeconds !== undefined && timeoutSeconds > 0
    ? Math.min(timeoutSeconds * 1000, maxTimeoutMs)
    : 1_800_000 + randomInt(1_800_000);

/** Milliseconds before its end at which a watch gets a last bookmark. The next watch continues from there. */
const lastBookmarkMs = 2000;

/** The maximum number of events in one write. */
const batchLength = 64;

/** Bytes after which existing objects are written: each write is encrypted at once. */
const batchBytes = 256 * 1024;

/** One watch from its first event to its end. */
class WatchSession {
  readonly #request: RequestScope;
  readonly #stream: WatchOutput;
  readonly #options: ListOptions;
  readonly #chosen: Selection;
  /** The requested resourceVersion. */
  readonly #from: bigint | undefined;
  readonly #form: EventForm;
  /** The revision that the client has seen. Bookmarks are sent only for later ones. */
  #known = 0;
  /** Only the first Table event contains the column definitions. */
  #columnsSent = false;
  /** Set while an earlier event is being converted. Later events wait, so that the order is kept. */
  #pending: Promise<void> | undefined;

  constructor(
    scope: RequestScope,
    stream: WatchOutput,
    { options, chosen }: CollectionRequest,
    from: bigint | undefined,
    form: EventForm,
  ) {
    this.#request = scope;
    this.#stream = stream;
    this.#options = options;
    this.#chosen = chosen;
    this.#from = from;
    this.#form = form;
  }

  async run(timeout: number): Promise<void> {
    const { kind, objects, request } = this.#request;
    let end = () => {};
    try {
      const place = this.#place();
      const from = await this.#begin(place);
      this.#known = from;
      const listener = {
        onEvent: (event: CacheEvent<StoredObject>) => this.#inOrder(() => this.#send(event)),
        onError: (error: Error) => this.#fail(error),
      };
      end = objects.cache.subscribe(place, from, listener);
    } catch (error) {
      this.#fail(error);
    }
    request.onBegun?.();
    const timer = setTimeout(() => this.#stream.end(), timeout);
    const endBookmarks = this.#scheduleBookmarks(timeout);
    const ends = AbortSignal.any([request.stopping, ...(kind.retired ? [kind.retired] : [])]);
    if (ends.aborted) this.#stream.end();
    ends.addEventListener('abort', this.#stream.end, { once: true });
    await this.#stream.closed;
    ends.removeEventListener('abort', this.#stream.end);
    clearTimeout(timer);
    endBookmarks();
    end();
  }

  /** Returns the watched key if there is only one, else the prefix of all keys. */
  #place(): string {
    const { objects, request, kind } = this.#request;
    const { name } = this.#chosen;
    const isOne = name !== undefined && (request.info.namespace !== '' || !kind.namespaced);
    return isOne ? objects.key(request.info.namespace, name) : objects.prefixOf(request.info.namespace);
  }

  /**
   * Sends the existing objects if the client requests them. Returns the revision after which changes follow.
   */
  async #begin(place: string): Promise<number> {
    const { objects, kind } = this.#request;
    const { cache } = objects;
    const from = this.#from ?? 0n;
    if (!(this.#options.sendInitialEvents ?? from === 0n)) {
      const { servedSince = 0 } = kind.storage ?? {};
      if (from !== 0n && from < servedSince) throw tooOld(from, servedSince);
      return from === 0n ? cache.revision : Number(from);
    }
    if (from !== 0n) await awaitRevision(cache, from, kind);
    return await this.#sendExisting(place);
  }

  async #sendExisting(place: string): Promise<number> {
    const { objects } = this.#request;
    const { entries, revision } = objects.cache.list(place);
    if (entries.length > 0 && this.#isUnencodable()) return revision;
    let batch: Buffer[] = [];
    let bytes = 0;
    for (const [i, { value }] of entries.entries()) {
      const shown = objects.show(value);
      const object = shown instanceof Promise ? await shown : shown;
      if (this.#chosen.matches(object)) {
        const encoding = encodeExisting(value, object, this.#form, this.#withColumns());
        const encoded = encoding instanceof Promise ? await encoding : encoding;
        bytes += encoded.length;
        batch.push(encoded);
      }
      // Also objects that are not selected take time.
      const turn = pause();
      if (turn !== undefined) await turn;
      if (batch.length < batchLength && bytes < batchBytes && i + 1 < entries.length) continue;
      this.#stream.writeAll(batch);
      [batch, bytes] = [[], 0];
      // The buffer limit is for changes only: existing objects have no size limit.
      await this.#stream.drained();
    }
    const { allowWatchBookmarks, sendInitialEvents } = this.#options;
    if (allowWatchBookmarks && sendInitialEvents === true) this.#writeBookmark(revision, true);
    return revision;
  }

  /** Sends bookmarks at intervals and shortly before the end. Returns a function that cancels them. */
  #scheduleBookmarks(timeout: number): () => void {
    if (!this.#options.allowWatchBookmarks) return () => {};
    const { bookmarkIntervalMs } = this.#request.server.watchers;
    const interval = setInterval(() => this.#bookmark(), bookmarkIntervalMs);
    const last = timeout - lastBookmarkMs;
    const timer = last > 0 ? setTimeout(() => this.#bookmark(), last) : undefined;
    return () => {
      clearInterval(interval);
      clearTimeout(timer);
    };
  }

  /** Runs immediately if nothing is pending, else after the pending events. */
  #inOrder(send: () => Promise<void> | void): void {
    const fail = (error: unknown) => this.#fail(error);
    if (this.#pending !== undefined) {
      this.#pending = this.#pending.then(send).catch(fail);
      return;
    }
    const done = send();
    if (done === undefined) return;
    const mine: Promise<void> = done.catch(fail).finally(() => {
      if (this.#pending === mine) this.#pending = undefined;
    });
    this.#pending = mine;
  }

  #send(event: CacheEvent<StoredObject>): Promise<void> | void {
    const { objects } = this.#request;
    const now = event.type === 'deleted' ? undefined : objects.show(event.value);
    const before = event.previous && objects.show(event.previous);
    if (now instanceof Promise || before instanceof Promise) return this.#sendLater(event, now, before);
    if (isLarge(event.value)) return this.#sendLater(event, now, before);
    this.#sendShown(event, now, before);
  }

  async #sendLater(
    event: CacheEvent<StoredObject>,
    ...shown: (KubeObject | Promise<KubeObject> | undefined)[]
  ): Promise<void> {
    const [now, before] = await Promise.all(shown);
    if (!isLarge(event.value)) return this.#sendShown(event, now, before);
    await pause();
    const selected = this.#select(event, now, before);
    if (selected === undefined) return;
    const { type, object } = selected;
    const bytes = await encodedLargeEvent(event, type, object, this.#form, this.#withColumns());
    this.#stream.write(bytes);
  }

  #sendShown(
    event: CacheEvent<StoredObject>,
    now: KubeObject | undefined,
    before: KubeObject | undefined,
  ): void {
    const selected = this.#select(event, now, before);
    if (selected === undefined) return;
    const { type, object } = selected;
    this.#stream.write(encodedEvent(event, type, object, this.#form, this.#withColumns()));
  }

  /** Returns what an event is for this watch; `undefined` if it is not selected. */
  #select(
    event: CacheEvent<StoredObject>,
    now: KubeObject | undefined,
    before: KubeObject | undefined,
  ): { type: WatchEventType; object: KubeObject } | undefined {
    const isIn = now !== undefined && this.#chosen.matches(now);
    const wasIn = before !== undefined && this.#chosen.matches(before);
    if ((!isIn && !wasIn) || this.#isUnencodable()) return undefined;
    const type: WatchEventType = isIn ? (wasIn ? 'MODIFIED' : 'ADDED') : 'DELETED';
    // An object that leaves the selection is sent in its last matching state, with the revision of the event.
    const object = isIn ? now : withVersion(before as KubeObject, event.revision);
    return { type, object };
  }

  /**
   * Closes a watch at the first event that cannot be encoded (objects that should be lists, or protobuf
   * messages), without an error, as kube-apiserver does.
   */
  #isUnencodable(): boolean {
    const { as, stream } = this.#form;
    const { protobuf } = this.#request.kind.behavior;
    const isMessage = as === 'object' && stream.encoding === 'application/vnd.kubernetes.protobuf';
    const isUnshowable = as === 'PartialObjectMetadataList' || (isMessage && !protobuf);
    if (isUnshowable) this.#stream.end();
    return isUnshowable;
  }

  #withColumns(): boolean {
    const first = !this.#columnsSent || this.#request.kind.repeatsColumns === true;
    this.#columnsSent = true;
    return first;
  }

  #bookmark(): void {
    // Pending events must be sent first.
    const { revision } = this.#request.objects.cache;
    if (this.#pending === undefined && revision > this.#known) this.#writeBookmark(revision, false);
  }

  #writeBookmark(revision: number, initialEventsEnd: boolean): void {
    if (this.#form.as === 'object' && this.#isUnencodable()) return;
    const object = bookmark(this.#request.kind, revision, initialEventsEnd);
    // A row without an object would identify nothing.
    const include = this.#form.include === 'None' ? 'Metadata' : this.#form.include;
    const form = { ...this.#form, include } as const;
    this.#stream.write(encodeEvent('BOOKMARK', object, form, this.#withColumns()));
  }

  #fail(error: unknown): void {
    this.#stream.write(encodeError(watchStatus(error, this.#from ?? 0n).status, this.#form));
    this.#stream.end();
  }
}

const tooOld = (from: bigint, oldest: number): StatusError =>
  expired(`too old resource version: ${from} (${oldest})`);

function watchStatus(error: unknown, from: bigint): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof StoreError && error.code === 'compacted') {
    return tooOld(from, error.revision ?? 0);
  }
  return internalError('the watch was interrupted');
}
