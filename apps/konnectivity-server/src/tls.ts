import type { Server } from 'node:net';
import type { SecureContextOptions, Server as TlsServer, TlsOptions } from 'node:tls';
import { type LiveFiles, type LiveText, trustedCertificates, type Validated } from '@annex/runtime';
import type { KonnectivityServerConfig } from './options.ts';

/** The TLS of a port: its options, and how changed files come into use. */
export interface PortTls {
  options: TlsOptions;
  /** Uses changed files for new connections of a server. */
  follow(server: Server): void;
}

/** Reads the certificate, the key and the CAs of clients. With CAs, every client must have a certificate. */
export async function openPortTls(
  files: LiveFiles,
  config: Validated<KonnectivityServerConfig>,
  { cert, key, ca }: { cert: string; key: string; ca: string | undefined },
): Promise<PortTls> {
  const texts = { cert: await files.open(cert), key: await files.open(key) };
  const cas = ca === undefined ? undefined : await files.open(ca);
  const context = () => contextOf(config, texts, cas);
  return {
    options: { ...context(), ...(cas === undefined ? {} : { requestCert: true, rejectUnauthorized: true }) },
    follow(server) {
      for (const text of [texts.cert, texts.key, ...(cas === undefined ? [] : [cas])])
        text.onChange(() => (server as TlsServer).setSecureContext(context()));
    },
  };
}

const contextOf = (
  { tlsMinVersion, cipherSuites }: Validated<KonnectivityServerConfig>,
  { cert, key }: { cert: LiveText; key: LiveText },
  cas: LiveText | undefined,
): SecureContextOptions => ({
  cert: cert.current(),
  key: key.current(),
  ...trustedCertificates(cas?.current()),
  minVersion: tlsMinVersion === 'VersionTLS13' ? 'TLSv1.3' : 'TLSv1.2',
  ...(cipherSuites.length > 0 ? { ciphers: cipherSuites.join(':') } : {}),
});
