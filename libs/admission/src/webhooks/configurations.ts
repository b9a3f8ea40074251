import type { KubeObject } from '@annex/machinery';
import { holdsNothing } from '../holds-nothing.ts';
import type { AdmissionHost } from '../host.ts';
import type { KnownObject } from '@annex/server';
import { compileWebhooks, type Webhook, type WebhookSpec } from './webhook.ts';

/** The kinds that configure webhooks, as their plural names. */
export type WebhookResource = 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations';

/** The webhooks of all configurations. */
export interface WebhookSource {
  /** In the order of the configurations' names; each is compiled once. */
  all(): Promise<readonly Webhook[]>;
  /** True where it is known that there is none. */
  isEmpty(): boolean;
}

export function webhookSource(host: AdmissionHost, resource: WebhookResource): WebhookSource {
  const prefix = `/registry/admissionregistration.k8s.io/${resource}/`;
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
    // What was written a moment ago may not be known yet, as with kube's informers; nobody waits for the store.
    await cache.waitFor(0);
    return cache.list(prefix).entries.flatMap(({ value }) => webhooksOf(value));
  };
  return { all, isEmpty: holdsNothing(host, prefix) };
}
