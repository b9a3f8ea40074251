import type { KubeObject } from '@annex/machinery';
import { holdsNothing } from '../holds-nothing.ts';
import type { AdmissionHost } from '../host.ts';
import type { KnownObject } from '@annex/server';
import { compileWebhooks, type Webhook, type WebhookSpec } from './webhook.ts';

/** The plural names of the webhook configurations. */
export type WebhookResource = 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations';

/** The webhooks of all configurations. */
export interface WebhookSource {
  /** Returns the webhooks, ordered by the names of their configurations; each is compiled once. */
  all(): Promise<readonly Webhook[]>;
  /** Returns true if it is certain that there are none. */
  isEmpty(): boolean;
}

export function webhookSource(host: AdmissionHost, resource: WebhookResource): WebhookSource {
  const prefix = `/registry/${resource}/`;
  const compiled = new WeakMap<KnownObject, Webhook[]>();
  const webhooksOf = (stored: KnownObject): Webhook[] => {
    let webhooks = compiled.get(stored);
    if (webhooks === undefined) {
      const { metadata, webhooks: specs } = stored.object as KubeObject & { webhooks?: WebhookSpec[] | null };
      compiled.set(stored, (webhooks = compileWebhooks(metadata.name ?? '', specs ?? [])));
    }
    return webhooks;
  };
  const all = async () => {
    const cache = host.objects(prefix);
    // As with kube-apiserver's informers, recent writes may not be visible yet; requests do not wait for the
    // store.
    await cache.waitFor(0);
    return cache.list(prefix).entries.flatMap(({ value }) => webhooksOf(value));
  };
  return { all, isEmpty: holdsNothing(host, prefix) };
}
