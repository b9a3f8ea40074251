import type { Credentials } from '@annex/client';
import type { WebhookClientConfig } from './webhook-client.ts';

/** Finds what is told to the webhook at a host and port of who asks. */
export type CredentialsFor = (target: string) => Credentials | undefined;

export const anonymous: CredentialsFor = () => undefined;

/** The host and port by which credentials for a webhook are named. */
export function targetName({ url, service }: WebhookClientConfig): string {
  if (url !== undefined) {
    const { hostname, port } = new URL(url);
    return `${hostname}:${port || '443'}`;
  }
  const { name = '', namespace = '', port = 443 } = service ?? {};
  return `${name}.${namespace}.svc:${port}`;
}

/**
 * Users of a kubeconfig are named after the servers that they are for: a host and port, `*.` and the end of one, the same without
 * the port where it is 443, or `*` for all. Others get the user of the current context. Source: "Authenticate API servers" of the
 * documentation of dynamic admission control.
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
