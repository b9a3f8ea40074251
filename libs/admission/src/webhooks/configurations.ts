import { type KubeObject, pushAll } from '@annex/machinery';
import { holdsNothing } from '../holds-nothing.ts';
import type { AdmissionHost } from '../host.ts';
import { onceInSlices } from '../once.ts';
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
  const webhooksOf = onceInSlices((stored) => {
    const { metadata, webhooks } = stored.object as KubeObject & { webhooks?: WebhookSpec[] | null };
    return compileWebhooks(metadata.name ?? '', webhooks ?? []);
  });
  const all = async () => {
    const cache = host.objects(prefix);
    // As with kube-apiserver's informers, recent writes may not be visible yet; requests do not wait for the
    // store.
    await cache.waitFor(0);
    const found: Webhook[] = [];
    for (const { value } of cache.list(prefix).entries) {
      const webhooks = webhooksOf(value);
      pushAll(found, webhooks instanceof Promise ? await webhooks : webhooks);
    }
    return found;
  };
  return { all, isEmpty: holdsNothing(host, prefix) };
}
