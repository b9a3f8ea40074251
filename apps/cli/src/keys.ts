import { type PkiFiles, requireAuthorities } from '@annex/auth';
import { type LiveFiles, type LiveText, readOptionalFile } from '@annex/runtime';
import { type LiveKeyPair, openKeyPair, readVerificationKeys } from '@annex/process';
import type { UpConfig } from './up-options.ts';

/** The keys and authorities in use: those of the data directory, or of the files that options name. PEM. */
export interface Keys {
  clientCa: LiveText;
  requestheaderCa: LiveText;
  serving: LiveKeyPair;
  proxyClient: LiveKeyPair;
  serviceAccount: { signingKey: string; verificationKeys: readonly string[] };
}

/**
 * Follows the files that options name, and those of the data directory for the rest; keys of service accounts are read once.
 * Throws OperatorError FILE_UNREADABLE.
 */
export async function openKeys(config: UpConfig, pki: PkiFiles, files: LiveFiles): Promise<Keys> {
  const authority = (named: string | undefined, otherwise: { certFile: string }) =>
    files.open(named ?? otherwise.certFile, requireAuthorities);
  const proxyClient = pki.frontProxyClient;
  const [clientCa, requestheaderCa, serving, client, signingKey, verificationKeys] = await Promise.all([
    authority(config.clientCaFile, pki.ca),
    authority(config.requestheaderClientCaFile, pki.frontProxyCa),
    openKeyPair(files, pki.apiserver.certFile, pki.apiserver.keyFile),
    openKeyPair(
      files,
      config.proxyClientCertFile ?? proxyClient.certFile,
      config.proxyClientKeyFile ?? proxyClient.keyFile,
    ),
    readOptionalFile(config.serviceAccountSigningKeyFile),
    readVerificationKeys(config),
  ]);
  return {
    clientCa,
    requestheaderCa,
    serving,
    proxyClient: client,
    serviceAccount: {
      signingKey: signingKey ?? pki.serviceAccount.key,
      verificationKeys: verificationKeys.length > 0 ? verificationKeys : [pki.serviceAccount.publicKey],
    },
  };
}
