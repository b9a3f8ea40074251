import { X509Certificate } from 'node:crypto';
import type { Server } from 'node:net';
import type { SecureContextOptions, Server as TlsServer, TlsOptions } from 'node:tls';
import {
  type LiveFiles,
  type LiveKeyPair,
  type LiveText,
  openKeyPair,
  opensslCiphers,
  trustedCertificates,
} from '@annex/runtime';
import type { TlsConfig } from './options.ts';

/** The TLS of a port: its options, and how changed files come into use. */
export interface PortTls {
  options: TlsOptions;
  /** Uses changed files for new connections of a server. */
  follow(server: Server): void;
}

/** The files of a port. With CAs, every client must have a certificate. */
export interface PortFiles {
  cert: string;
  key: string;
  ca: string | undefined;
}

/** Reads the certificate, the key and the CAs of clients. Throws OperatorError FILE_UNREADABLE. */
export async function openPortTls(
  files: LiveFiles,
  config: TlsConfig,
  { cert, key, ca }: PortFiles,
): Promise<PortTls> {
  const pair = await openKeyPair(files, cert, key);
  const cas = ca === undefined ? undefined : await files.open(ca, (pem) => void new X509Certificate(pem));
  const context = () => contextOf(config, pair, cas);
  return {
    options: { ...context(), ...(cas === undefined ? {} : { requestCert: true, rejectUnauthorized: true }) },
    follow(server) {
      const renew = () => (server as TlsServer).setSecureContext(context());
      pair.onChange(renew);
      cas?.onChange(renew);
    },
  };
}

function contextOf(
  { tlsMinVersion, cipherSuites }: TlsConfig,
  pair: LiveKeyPair,
  cas: LiveText | undefined,
): SecureContextOptions {
  const ciphers = opensslCiphers(cipherSuites);
  return {
    ...pair.current(),
    ...trustedCertificates(cas?.current()),
    minVersion: tlsMinVersion === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2',
    ...(ciphers === undefined ? {} : { ciphers }),
  };
}
