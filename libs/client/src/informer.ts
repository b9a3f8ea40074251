import { type KubeObject, StatusError } from '@annex/machinery';
import { eachInSlices, ownTurn, pause } from '@annex/runtime';
import type { Client } from './client.ts';

/** The callbacks of an informer. Objects are shared: never change them. */
export interface InformerHandlers<T> {
  added?(object: T): void;
  modified?(object: T, previous: T): void;
  deleted?(object: T): void;
  /** An attempt failed; the informer retries automatically. */
  failed?(error: unknown): void;
}

/** The options of an informer. */
export interface InformerOptions<T extends KubeObject = KubeObject> {
  /** Only objects with these labels. */
  labelSelector?: string;
  /** Only objects with these fields: `spec.nodeName=one`. */
  fieldSelector?: string;
  /** Objects of one page of a list. Default 500. */
  pageSize?: number;
  /** The delay after the first failure; it doubles up to 30 s. Default 100 ms. */
  retryMs?: number;
  /** Requests PartialObjectMetadata, from servers that support it. */
  metadataOnly?: boolean;
  /**
   * Reduces an object before it is cached; default: unchanged. Name, namespace and resourceVersion must stay.
   */
  keep?: (object: T) => T;
}

interface List<T> {
  metadata: { resourceVersion: string; continue?: string };
  items: T[] | null;
}

const longestRetryMs = 30_000;

const metadata = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`;

/**
 * Keeps a copy of a collection: lists it, and watches from that version. After broken connections it
 * continues from the last version, and lists again if the server no longer has that version.
 *
 * @example
 * const pods = new Informer(client, '/api/v1/pods', { deleted: ({ metadata }) => console.log(metadata.name)
 * });
 * await pods.start();
 */
export class Informer<T extends KubeObject = KubeObject> {
  readonly #client: Client;
  readonly #path: string;
  readonly #handlers: InformerHandlers<T>;
  readonly #options: InformerOptions<T>;
  readonly #objects = new Map<string, T>();
  readonly #synced = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(client: Client, path: string, handlers: InformerHandlers<T>, options: InformerOptions<T> = {}) {
    this.#client = client;
    this.#path = path;
    this.#handlers = handlers;
    this.#options = options;
  }

  /** Starts; resolves when the first list is complete and reported. */
  start(): Promise<void> {
    this.#running ??= this.#run();
    return this.#synced.promise;
  }

  /** Stops; resolves when no request is running. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** `namespace/name`, or the bare name of objects without a namespace. */
  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  /** Returns all objects, in no order. */
  list(): T[] {
    return [...this.#objects.values()];
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    const first = this.#options.retryMs ?? 100;
    let version: string | undefined;
    let delay = first;
    while (!signal.aborted) {
      try {
        // A process may start thousands of them at once.
        await ownTurn();
        version ??= await this.#relist();
        this.#synced.resolve();
        await ownTurn();
        for await (version of this.#follow(version)) delay = first;
        // Prevents a tight loop if a server ends every watch immediately.
        await pause(first, signal);
      } catch (error) {
        if (signal.aborted) return;
        // Gone: the changes since then are not available. The list is read again, which is not a failure.
        if (error instanceof StatusError && error.code === 410) version = undefined;
        else this.#handlers.failed?.(error);
        await pause(delay, signal);
        delay = Math.min(delay * 2, longestRetryMs);
      }
    }
  }

  async #relist(): Promise<string> {
    const found = new Map<string, T>();
    const {
      pageSize = 500,
      labelSelector,
      fieldSelector,
      metadataOnly,
      keep = (item) => item,
    } = this.#options;
    const headers = metadataOnly ? { accept: metadata('PartialObjectMetadataList') } : {};
    const { signal } = this.#stop;
    let page: List<T> | undefined;
    do {
      const query = new URLSearchParams({ limit: String(pageSize) });
      if (labelSelector) query.set('labelSelector', labelSelector);
      if (fieldSelector) query.set('fieldSelector', fieldSelector);
      if (page?.metadata.continue) query.set('continue', page.metadata.continue);
      page = await this.#client.json<List<T>>({ path: `${this.#path}?${query}`, headers, signal });
      for (const item of page.items ?? []) found.set(keyOf(item), keep(item));
    } while (page.metadata.continue);
    // Callbacks about many thousands hold the event loop no longer than those about a few.
    await eachInSlices(this.#objects, ([key, object]) => {
      signal.throwIfAborted();
      if (!found.has(key)) this.#remove(key, object);
    });
    await eachInSlices(found.values(), (object) => {
      signal.throwIfAborted();
      this.#put(object);
    });
    return page.metadata.resourceVersion;
  }

  /** Watches once, and yields the version after each event. */
  async *#follow(resourceVersion: string): AsyncGenerator<string> {
    const { labelSelector, fieldSelector, metadataOnly, keep = (object) => object } = this.#options;
    const events = this.#client.watch<T>(this.#path, {
      resourceVersion,
      allowWatchBookmarks: true,
      // Randomized, so that the watches of many clients do not end at the same time.
      timeoutSeconds: 300 + Math.floor(Math.random() * 300),
      ...(labelSelector ? { labelSelector } : {}),
      ...(fieldSelector ? { fieldSelector } : {}),
      ...(metadataOnly ? { accept: metadata('PartialObjectMetadata') } : {}),
      signal: this.#stop.signal,
    });
    for await (const { type, object } of events) {
      if (type === 'DELETED') this.#remove(keyOf(object), keep(object));
      else if (type !== 'BOOKMARK') this.#put(keep(object));
      yield object.metadata.resourceVersion ?? resourceVersion;
    }
  }

  #put(object: T): void {
    const key = keyOf(object);
    const previous = this.#objects.get(key);
    if (previous?.metadata.resourceVersion === object.metadata.resourceVersion && previous !== undefined)
      return;
    this.#objects.set(key, object);
    if (previous === undefined) this.#handlers.added?.(object);
    else this.#handlers.modified?.(object, previous);
  }

  #remove(key: string, object: T): void {
    if (this.#objects.delete(key)) this.#handlers.deleted?.(object);
  }
}

const keyOf = ({ metadata: { namespace, name = '' } }: KubeObject): string =>
  namespace ? `${namespace}/${name}` : name;
