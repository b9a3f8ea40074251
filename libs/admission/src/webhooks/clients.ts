import type { EgressSelector } from '@annex/runtime';
import { type CredentialsFor, targetName } from './credentials.ts';
import { type ResolveService, WebhookClient, type WebhookClientConfig } from './webhook-client.ts';

/** Cached clients of webhooks. The least recently used one is closed. */
export const maxWebhookClients = 30;

/** Caches clients by their configuration: webhooks of one server share its connections. */
export class WebhookClients {
  readonly #resolve: ResolveService;
  readonly #credentials: CredentialsFor;
  readonly #egress: EgressSelector | undefined;
  readonly #clients = new Map<string, WebhookClient>();

  constructor(resolve: ResolveService, credentials: CredentialsFor, egress?: EgressSelector) {
    this.#resolve = resolve;
    this.#credentials = credentials;
    this.#egress = egress;
  }

  of(config: WebhookClientConfig): WebhookClient {
    const key = JSON.stringify(config);
    const client = this.#clients.get(key) ?? this.#create(config);
    // Moves the client to the end, as the most recently used one.
    this.#clients.delete(key);
    this.#clients.set(key, client);
    if (this.#clients.size > maxWebhookClients) this.#removeOldest();
    return client;
  }

  #create(config: WebhookClientConfig): WebhookClient {
    return new WebhookClient(config, this.#resolve, this.#credentials(targetName(config)), this.#egress);
  }

  #removeOldest(): void {
    for (const [key, client] of this.#clients) {
      this.#clients.delete(key);
      return client.close();
    }
  }
}
