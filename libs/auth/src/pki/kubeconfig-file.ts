import { readFileIfPresent, writeFileAtomically } from './pki-files.ts';

/** The cluster and the user of a kubeconfig file. Certificates and keys are PEM. */
export interface KubeconfigContent {
  server: string;
  caData: string;
  /** The server name in TLS; by default that of the URL. */
  tlsServerName?: string | undefined;
  cert: string;
  key: string;
  /** Names in the file. */
  cluster?: string;
  user?: string;
}

/** Writes a kubeconfig of one cluster and one user with embedded certificates, readable by its owner only. */
export async function writeKubeconfig(file: string, content: KubeconfigContent): Promise<void> {
  const text = kubeconfigText(content);
  // A restart must not depend on free disk space.
  if ((await readFileIfPresent(file)) !== text) await writeFileAtomically(file, text, 0o600);
}

/** Formats a kubeconfig file. */
export function kubeconfigText(content: KubeconfigContent): string {
  const cluster = JSON.stringify(content.cluster ?? 'annex');
  const user = JSON.stringify(content.user ?? 'admin');
  const context = JSON.stringify(`${content.user ?? 'admin'}@${content.cluster ?? 'annex'}`);
  const base64 = (pem: string) => Buffer.from(pem).toString('base64');
  const tlsServerName =
    content.tlsServerName === undefined
      ? ''
      : `    tls-server-name: ${JSON.stringify(content.tlsServerName)}\n`;
  return `apiVersion: v1
kind: Config
clusters:
- name: ${cluster}
  cluster:
    server: ${JSON.stringify(content.server)}
    certificate-authority-data: ${base64(content.caData)}
${tlsServerName}users:
- name: ${user}
  user:
    client-certificate-data: ${base64(content.cert)}
    client-key-data: ${base64(content.key)}
contexts:
- name: ${context}
  context:
    cluster: ${cluster}
    user: ${user}
current-context: ${context}
preferences: {}
`;
}
