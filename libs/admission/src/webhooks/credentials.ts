import type { Credentials } from '@annex/client';
import type { WebhookClientConfig } from './webhook-client.ts';

/** Returns the client credentials for the webhook at a host and port. */
export type CredentialsFor = (target: string) => Credentials | undefined;

export const anonymous: CredentialsFor = () => undefined;

/** Returns the host and port that name the credentials of a webhook. */
export function targetName({ url, service }: WebhookClientConfig): string {
  if (url !== undefined) {
    const { hostname, port } = new URL(url);
    return `${hostname}:${port || '443'}`;
  }
  const { name = '', namespace = '', port = 443 } = service ?? {};
  return `${name}.${namespace}.svc:${port}`;
}

/**
 * Returns the credentials of a kubeconfig. Its users are named after servers: a host and port; `*.` and a
 * suffix; the host without the port if it is 443; or `*`. All other servers get the user of the current
 * context. Source: "Authenticate API servers" of the documentation of dynamic admission control.
 */
export function credentialsOf({
  users,
  current,
}: {
  users: ReadonlyMap<string, Credentials>;
  current: string;
}): CredentialsFor {
  return (target) => {
    const names = [...namesOf(target), ...(target.endsWith(':443') ? namesOf(target.slice(0, -4)) : []), '*'];
    const name = names.find((one) => users.has(one)) ?? current;
    return users.get(name);
  };
}

function namesOf(target: string): string[] {
  const labels = target.split('.');
  return [target, ...labels.slice(1).map((_, i) => `*.${labels.slice(i + 1).join('.')}`)];
}
