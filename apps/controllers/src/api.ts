import type { Client, ClientRequest, InformerHandlers, InformerOptions } from '@annex/client';
import { Informer, logWatchFailures } from '@annex/client';
import { isReason, type KubeObject, StatusError } from '@annex/machinery';
import type { Logger } from '@annex/runtime';
import { parseInSlices } from '@annex/server';

/** The timeout of a request in milliseconds. */
export const controllerTimeoutMs = 30_000;

/** Maximum bytes of a response: the list of all objects in the response to the deletion of a collection. */
export const maxControllerResponseBytes = 512 * 1024 * 1024;

const limits = { timeoutMs: controllerTimeoutMs, maxBytes: maxControllerResponseBytes };

/** The client that controllers share: every request ends with the controllers. */
export class Api {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #log: Logger;

  constructor(client: Client, signal: AbortSignal, log: Logger) {
    this.#client = client;
    this.#signal = signal;
    this.#log = log;
  }

  /** Sends a request. Throws StatusError if the response is not successful. */
  json<T>(request: Omit<ClientRequest, 'signal'>): Promise<T> {
    return this.#client.json<T>({ ...limits, ...request, signal: this.#signal });
  }

  /** Like {@link json}, but resolves to `undefined` if the object does not exist. */
  async find<T>(path: string, headers: Record<string, string> = {}): Promise<T | undefined> {
    try {
      return await this.json<T>({ path, headers });
    } catch (error) {
      if (isReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Sends a conditional GET, which may return 304. */
  async conditional<T>(
    path: string,
    accept: string,
    etag: string | undefined,
  ): Promise<{ body: T; etag: string | undefined } | 'unchanged'> {
    const headers = { accept, ...(etag ? { 'if-none-match': etag } : {}) };
    const response = await this.#client.send({
      path,
      headers,
      timeoutMs: controllerTimeoutMs,
      signal: this.#signal,
    });
    if (response.status === 304) return 'unchanged';
    if (response.status !== 200) throw new Error(`GET ${path} returned ${response.status}`);
    return { body: (await parseInSlices(response.body.toString())) as T, etag: response.headers.etag };
  }

  /** Returns a cached copy of a collection; errors are logged. */
  informer<T extends KubeObject>(
    path: string,
    handlers: Omit<InformerHandlers<T>, 'failed'>,
    options: InformerOptions<T> = {},
  ): Informer<T> {
    const failed = logWatchFailures(this.#log, path);
    return new Informer<T>(this.#client, path, { ...handlers, failed }, options);
  }
}

/** Returns the body of a delete request. */
export const deleteOptions = (options: Record<string, unknown>): Record<string, unknown> => ({
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  ...options,
});

/** `Accept` for the metadata of an object or a list; servers that do not support it send whole objects. */
export const metadataOnly = {
  object: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json' },
  list: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json' },
};

/** True if a write was rejected because its namespace is being deleted. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
