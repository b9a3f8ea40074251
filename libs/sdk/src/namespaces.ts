import { type Client, Informer } from '@annex/client';
import { isReason, type KubeObject } from '@annex/machinery';
import type { Logger } from '@annex/runtime';

const path = '/api/v1/namespaces';

/** The namespaces of the API server: followed, and asked for where one is not known yet. */
export class Namespaces {
  readonly name = 'namespaces';
  readonly #client: Client;
  readonly #informer: Informer;
  #isSynced = false;

  constructor(client: Client, log: Logger) {
    this.#client = client;
    const failed = (error: unknown) =>
      log.warn('cannot follow the namespaces; the user of the kubeconfig must get, list and watch them', {
        error,
      });
    this.#informer = new Informer(client, path, { failed }, { metadataOnly: true });
  }

  /** Begins to follow; what is not known yet is asked for. */
  start(): void {
    void this.#informer.start().then(() => (this.#isSynced = true));
  }

  /** True when all of them are known. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }

  /** The namespace, perhaps with its metadata only; `undefined` where there is none. */
  async find(name: string): Promise<KubeObject | undefined> {
    const known = this.#informer.get(name);
    if (known !== undefined) return known;
    try {
      return await this.#client.json<KubeObject>({ path: `${path}/${name}`, timeoutMs: 10_000 });
    } catch (error) {
      if (isReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}
