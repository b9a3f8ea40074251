import { Buffer } from 'node:buffer';
import { randomInt } from 'node:crypto';
import { type KubeObject, StatusError, expired, internalError } from '@annex/machinery';
import { type CacheEvent, StoreError, type StoredObject } from '@annex/storage';
import { type ListOptions, listOptions } from '../list-options.ts';
import { negotiate } from '../negotiation.ts';
import { sendHead } from '../respond.ts';
import { type Selection, selection } from '../selection.ts';
import { withVersion } from '../stored-objects.ts';
import { includeObject } from '../table.ts';
import {
  type WatchEventType,
  bookmark,
  encodeError,
  encodeEvent,
  encodeExisting,
  encodedEvent,
} from '../watch-events.ts';
import { WatchStream } from '../watch-stream.ts';
import type { ResourceRequest } from './resource-request.ts';

/** GET of a collection with `watch`: the changes after a revision, as they happen, one JSON document a line. */
export async function watch(request: ResourceRequest): Promise<void> {
  const { ctx, kind, objects, server } = request;
  const as = negotiate(ctx.req.headers.accept, { custom: kind.custom, protobuf: false });
  const options = listOptions(ctx.query, true);
  const chosen = selection(kind, options.labelSelector, options.fieldSelector);
  const form = { kind, as: as.as, version: as.metaVersion, include: includeObject(ctx.query) };
  await objects.cache.waitFor();
  sendHead(ctx, 200, 'application/json');
  const stream = new WatchStream(ctx.res, server.watchers.maxBufferedBytes);
  const session = new WatchSession(request, stream, options, chosen, form);
  const { group, version, resource } = kind;
  const labels = { verb: 'WATCH', group, version, resource };
  server.running.inc(labels);
  try {
    await session.run(timeoutMs(options));
  } finally {
    server.running.dec(labels);
  }
}

/** The longest time that a timer takes. */
const maxTimeoutMs = 2 ** 31 - 1;

// Without a timeout of the client's, watches end spread over half an hour, so that they do not all come back at once.
const timeoutMs = ({ timeoutSeconds }: ListOptions): number =>
  timeoutSeconds !== undefined && timeoutSeconds > 0
    ? Math.min(timeoutSeconds * 1000, maxTimeoutMs)
    : 1_800_000 + randomInt(1_800_000);

/** So many events are written in one go. */
const batchLength = 64;

/** One watch from its first event to its end. */
class WatchSession {
  readonly #request: ResourceRequest;
  readonly #stream: WatchStream;
  readonly #options: ListOptions;
  readonly #chosen: Selection;
  readonly #form: Parameters<typeof encodedEvent>[3];
  /** Table events carry their columns once. */
  #columnsSent = false;
  /** Set while an earlier event is being converted: later ones wait, so that the order holds. */
  #pending: Promise<void> | undefined;

  constructor(
    request: ResourceRequest,
    stream: WatchStream,
    options: ListOptions,
    chosen: Selection,
    form: Parameters<typeof encodedEvent>[3],
  ) {
    this.#request = request;
    this.#stream = stream;
    this.#options = options;
    this.#chosen = chosen;
    this.#form = form;
  }

  async run(timeout: number): Promise<void> {
    const { kind, objects, server, ctx } = this.#request;
    const { cache } = objects;
    const prefix = objects.prefixOf(ctx.info.namespace);
    let end = () => {};
    try {
      const from = await this.#initialEvents(prefix);
      const listener = {
        onEvent: (event: CacheEvent<StoredObject>) => this.#inOrder(() => this.#send(event)),
        onError: (error: Error) => this.#fail(error),
      };
      end = cache.subscribe(prefix, from, listener);
    } catch (error) {
      this.#fail(error);
    }
    const timer = setTimeout(() => this.#stream.end(), timeout);
    const bookmarks = setInterval(() => this.#bookmark(), server.watchers.bookmarkIntervalMs);
    const ends = AbortSignal.any([ctx.stopping, ...(kind.retired ? [kind.retired] : [])]);
    if (ends.aborted) this.#stream.end();
    ends.addEventListener('abort', this.#stream.end, { once: true });
    await this.#stream.closed;
    ends.removeEventListener('abort', this.#stream.end);
    clearTimeout(timer);
    clearInterval(bookmarks);
    end();
  }

  /** Sends what exists as ADDED where the client wants it; returns the revision from which changes follow. */
  async #initialEvents(prefix: string): Promise<number> {
    const { resourceVersion, sendInitialEvents } = this.#options;
    const { objects } = this.#request;
    const wanted = sendInitialEvents ?? (resourceVersion === undefined || resourceVersion === 0);
    if (!wanted) return resourceVersion || objects.cache.revision;
    const { entries, revision } = objects.cache.list(prefix);
    let batch: Buffer[] = [];
    for (const [i, { value }] of entries.entries()) {
      const shown = objects.show(value);
      const object = shown instanceof Promise ? await shown : shown;
      if (this.#matches(object)) batch.push(encodeExisting(value, object, this.#form, this.#withColumns()));
      if (batch.length < batchLength && i + 1 < entries.length) continue;
      if (batch.length > 0) this.#stream.write(Buffer.concat(batch));
      batch = [];
      // Only a client that falls behind with changes is cut off: what exists is as much as it is.
      await this.#stream.drained();
    }
    if (sendInitialEvents && this.#options.allowWatchBookmarks) this.#writeBookmark(revision, true);
    return revision;
  }

  #matches(object: KubeObject): boolean {
    const { name } = this.#request.ctx.info;
    return (name === '' || object.metadata.name === name) && this.#chosen.matches(object);
  }

  /** Runs now where nothing waits, else after what waits. */
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
    if (now instanceof Promise || before instanceof Promise) {
      return Promise.all([now, before]).then(([a, b]) => this.#sendShown(event, a, b));
    }
    this.#sendShown(event, now, before);
  }

  #sendShown(
    event: CacheEvent<StoredObject>,
    now: KubeObject | undefined,
    before: KubeObject | undefined,
  ): void {
    const isIn = now !== undefined && this.#matches(now);
    const wasIn = before !== undefined && this.#matches(before);
    if (!isIn && !wasIn) return;
    const type: WatchEventType = isIn ? (wasIn ? 'MODIFIED' : 'ADDED') : 'DELETED';
    // What leaves is shown as it last was, under the revision of its leaving.
    const object = isIn ? now : withVersion(before as KubeObject, event.revision);
    this.#stream.write(encodedEvent(event, type, object, this.#form, this.#withColumns()));
  }

  #withColumns(): boolean {
    const first = !this.#columnsSent;
    this.#columnsSent = true;
    return first;
  }

  #bookmark(): void {
    if (!this.#options.allowWatchBookmarks || this.#pending !== undefined) return;
    this.#writeBookmark(this.#request.objects.cache.revision, false);
  }

  #writeBookmark(revision: number, initialEventsEnd: boolean): void {
    const object = bookmark(this.#request.kind, revision, initialEventsEnd);
    this.#stream.write(encodeEvent('BOOKMARK', object, this.#form, false));
  }

  #fail(error: unknown): void {
    this.#stream.write(
      encodeError(watchStatus(error, this.#options, this.#request.objects.cache.revision).status),
    );
    this.#stream.end();
  }
}

function watchStatus(error: unknown, options: ListOptions, revision: number): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof StoreError && error.code === 'compacted') {
    return expired(
      `too old resource version: ${options.resourceVersion ?? 0} (${error.revision ?? revision})`,
    );
  }
  return internalError('the watch was interrupted');
}
