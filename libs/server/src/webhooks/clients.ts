import { type ResolveService, WebhookClient, type WebhookClientConfig } from './webhook-client.ts';

const most = 30;

/** Clients by how webhooks are reached: webhooks of one server share its connections. */
export class WebhookClients {
  readonly #resolve: ResolveService;
  readonly #clients = new Map<string, WebhookClient>();

  constructor(resolve: ResolveService) {
    this.#resolve = resolve;
  }

  of(config: WebhookClientConfig): WebhookClient {
    const key = JSON.stringify(config);
    const client = this.#clients.get(key) ?? new WebhookClient(config, this.#resolve);
    // The one that was used last stands last.
    this.#clients.delete(key);
    this.#clients.set(key, client);
    if (this.#clients.size > most) this.#forgetOldest();
    return client;
  }

  #forgetOldest(): void {
    for (const [key, client] of this.#clients) {
      this.#clients.delete(key);
      return client.close();
    }
  }
}
