import type { Client, ClientRequest, InformerHandlers, InformerOptions } from '@annex/client';
import { Informer } from '@annex/client';
import { isReason, type KubeObject, StatusError } from '@annex/machinery';
import type { Logger } from '@annex/runtime';

/** How long the answer to a request may take. */
export const controllerTimeoutMs = 30_000;

/** The largest answer that is read: the list of all objects that a deletion of a collection answers with. */
export const maxControllerResponseBytes = 512 * 1024 * 1024;

const limits = { timeoutMs: controllerTimeoutMs, maxBytes: maxControllerResponseBytes };

/** The API server as controllers use it: every request ends with the controllers. */
export class Api {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #log: Logger;

  constructor(client: Client, signal: AbortSignal, log: Logger) {
    this.#client = client;
    this.#signal = signal;
    this.#log = log;
  }

  /** Sends a request. Throws StatusError for every answer that is no success. */
  json<T>(request: Omit<ClientRequest, 'signal'>): Promise<T> {
    return this.#client.json<T>({ ...limits, ...request, signal: this.#signal });
  }

  /** Like {@link json}, with nothing where there is no such object. */
  async find<T>(path: string, headers: Record<string, string> = {}): Promise<T | undefined> {
    try {
      return await this.json<T>({ path, headers });
    } catch (error) {
      if (isReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** Sends a GET that may be answered with 304. */
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
    if (response.status !== 200) throw new Error(`GET ${path} is answered with ${response.status}`);
    return { body: JSON.parse(response.body.toString()) as T, etag: response.headers.etag };
  }

  /** A copy of a collection; what fails is logged. */
  informer<T extends KubeObject>(
    path: string,
    handlers: Omit<InformerHandlers<T>, 'failed'>,
    options: InformerOptions<T> = {},
  ): Informer<T> {
    const failed = (error: unknown) => {
      // Broken connections mend themselves; missing rights do not.
      const refused = isReason(error, 'Unauthorized') || isReason(error, 'Forbidden');
      this.#log[refused ? 'warn' : 'debug']('a watch failed and is tried again', {
        path,
        error: String(error),
      });
    };
    return new Informer<T>(this.#client, path, { ...handlers, failed }, options);
  }
}

/** The bodies of requests that delete. */
export const deleteOptions = (options: Record<string, unknown>): Record<string, unknown> => ({
  kind: 'DeleteOptions',
  apiVersion: 'v1',
  ...options,
});

/** `Accept` for the metadata of an object, or of a list; servers that cannot send it send everything. */
export const metadataOnly = {
  object: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json' },
  list: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json' },
};

/** Whether a write was refused because its namespace is going away. */
export const isNamespaceTerminating = (error: unknown): boolean =>
  error instanceof StatusError &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating');
