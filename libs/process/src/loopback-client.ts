import {
  type CertificateAndKey,
  issueClientCertificate,
  type PkiCertificates,
  privilegedGroup,
} from '@annex/auth';
import type { ClientConfig } from '@annex/client';
import { tableOf } from '@annex/machinery';

/**
 * The server name by which clients of the same machine get the certificate of the server's own CA, if the server presents another
 * certificate to all others. kube-apiserver uses this name in the same way.
 */
export const loopbackServerName = 'apiserver-loopback-client';

/** Options of {@link loopbackClient}. */
export interface LoopbackOptions {
  bindAddress: string;
  port: number;
  pki: Pick<PkiCertificates, 'ca' | 'admin'>;
  /** The server name of the certificate that the CA issued. Default: `localhost`. */
  tlsServerName?: string | undefined;
  user: string;
  /** False for a user without groups, whose roles allow what it does. Default: a member of the privileged group. */
  isPrivileged?: boolean;
}

/** Returns the configuration of a client of the server in the same process. */
export const loopbackClient = async ({
  bindAddress,
  pki,
  port,
  tlsServerName = 'localhost',
  user,
  isPrivileged = true,
}: LoopbackOptions): Promise<ClientConfig> => ({
  server: `https://${loopbackHost(bindAddress)}:${port}`,
  ca: pki.ca.cert,
  tlsServerName,
  ...(await clientCertificate(pki, user, isPrivileged)),
});

/**
 * Issues a certificate for the administrator's key, which is quicker than a new key; without the key of the
 * CA, returns the administrator's certificate.
 */
async function clientCertificate(
  { ca, admin }: LoopbackOptions['pki'],
  user: string,
  isPrivileged: boolean,
): Promise<CertificateAndKey> {
  if (ca.key === undefined) return { cert: admin.cert, key: admin.key };
  const subject = { user, groups: isPrivileged ? [privilegedGroup] : [] };
  return await issueClientCertificate({ cert: ca.cert, key: ca.key }, subject, { key: admin.key });
}

const loopbackOf = tableOf({ '0.0.0.0': '127.0.0.1', '::': '[::1]' });

function loopbackHost(bindAddress: string): string {
  return loopbackOf.get(bindAddress) ?? (bindAddress.includes(':') ? `[${bindAddress}]` : bindAddress);
}
