import { type CertificateAndKey, requireCAs } from '@annex/auth';
import {
  type LiveFiles,
  type LiveKeyPair,
  type LiveText,
  openKeyPair,
  readOptionalFile,
} from '@annex/runtime';
import {
  readVerificationKeys,
  type ServiceAccountConfig,
  type TokenIssuerConfig,
} from './service-account-options.ts';

/** The certificate that a server presents, and the CAs that it trusts. */
export interface Identities {
  serving: LiveKeyPair;
  /** Other certificates, by the server name that a client sends. */
  named?: ReadonlyMap<string, CertificateAndKey>;
  /** The CA of client certificates; without it, certificates do not authenticate users. */
  clientCa: LiveText | undefined;
  /** The CA of authenticating proxies; without it, no proxy is trusted. */
  requestheaderCa: LiveText | undefined;
}

/** The files of {@link Identities}. */
export interface IdentityFiles {
  tlsCertFile: string;
  tlsPrivateKeyFile: string;
  clientCaFile: string | undefined;
  requestheaderClientCaFile: string | undefined;
}

/** Opens the files and follows them. Throws OperatorError FILE_UNREADABLE. */
export async function openIdentities(named: IdentityFiles, files: LiveFiles): Promise<Identities> {
  const openCa = (path: string | undefined) =>
    path === undefined ? undefined : files.open(path, requireCAs);
  const [serving, clientCa, requestheaderCa] = await Promise.all([
    openKeyPair(files, named.tlsCertFile, named.tlsPrivateKeyFile),
    openCa(named.clientCaFile),
    openCa(named.requestheaderClientCaFile),
  ]);
  return { serving, clientCa, requestheaderCa };
}

/** The keys of service-account tokens, PEM. */
export interface ServiceAccountKeys {
  /** Without it, no tokens are issued. */
  signingKey: string | undefined;
  verificationKeys: readonly string[];
}

/** Reads the keys that the options name, once. Throws OperatorError FILE_UNREADABLE. */
export async function readServiceAccountKeys(
  config: ServiceAccountConfig & Partial<TokenIssuerConfig>,
): Promise<ServiceAccountKeys> {
  const [signingKey, verificationKeys] = await Promise.all([
    readOptionalFile(config.serviceAccountSigningKeyFile),
    readVerificationKeys(config),
  ]);
  return { signingKey, verificationKeys };
}
