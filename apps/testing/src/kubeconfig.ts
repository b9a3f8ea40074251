import type { ClientConfig } from '@annex/client';
import { encodeYaml } from '@annex/machinery';

const base64 = (pem: string): string => Buffer.from(pem).toString('base64');

/** Returns the text of a kubeconfig with embedded certificates or token. */
export function kubeconfigText({ server, ca = '', cert, key, token }: ClientConfig): string {
  const user = {
    ...(cert === undefined ? {} : { 'client-certificate-data': base64(cert) }),
    ...(key === undefined ? {} : { 'client-key-data': base64(key) }),
    ...(typeof token === 'string' ? { token } : {}),
  };
  return encodeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'annex', cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'annex', context: { cluster: 'annex', user: 'user' } }],
    'current-context': 'annex',
  });
}
