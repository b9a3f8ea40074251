import {
  type Client,
  type ClientRequest,
  Informer,
  type InformerHandlers,
  type InformerOptions,
  logWatchFailures,
  withoutManagedFields,
} from '@annex/client';
import type { KubeObject } from '@annex/machinery';
import type { Logger } from '@annex/runtime';

/** The timeout of a request in milliseconds. */
export const fakeNodesTimeoutMs = 30_000;

/** A request of the parts of this app: it ends with them. */
export class Api {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #log: Logger;
  readonly #mayWrite: () => boolean;

  /** Writes are refused unless `mayWrite`: another process may look after the nodes. */
  constructor(client: Client, signal: AbortSignal, log: Logger, mayWrite = () => true) {
    this.#client = client;
    this.#signal = signal;
    this.#log = log;
    this.#mayWrite = mayWrite;
  }

  /** Throws StatusError if the response is not successful. */
  async json<T>(request: Omit<ClientRequest, 'signal'>): Promise<T> {
    if (request.method !== undefined && !this.#mayWrite()) throw new Error('the lease has expired');
    return await this.#client.json<T>({ timeoutMs: fakeNodesTimeoutMs, ...request, signal: this.#signal });
  }

  patch<T>(path: string, body: unknown, type: 'json' | 'merge' | 'strategic' = 'strategic'): Promise<T> {
    const contentType = type === 'strategic' ? 'strategic-merge-patch' : `${type}-patch`;
    return this.json<T>({
      method: 'PATCH',
      path,
      headers: { 'content-type': `application/${contentType}+json` },
      body,
    });
  }

  informer<T extends KubeObject>(
    path: string,
    handlers: Omit<InformerHandlers<T>, 'failed'>,
    options: InformerOptions<T> = {},
  ): Informer<T> {
    const failed = logWatchFailures(this.#log, path);
    return new Informer<T>(
      this.#client,
      path,
      { ...handlers, failed },
      { keep: withoutManagedFields, ...options },
    );
  }
}
