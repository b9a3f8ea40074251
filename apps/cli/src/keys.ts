import { readFile } from 'node:fs/promises';
import type { PkiFiles } from '@annex/auth';
import { OperatorError } from '@annex/runtime';
import type { UpConfig } from './up-options.ts';

/** The keys and authorities in use: those of the data directory, or of the files that options name. PEM. */
export interface Keys {
  clientCa: string;
  requestheaderCa: string;
  proxyClient: { cert: string; key: string };
  serviceAccount: { signingKey: string; verificationKey: string };
}

/** Reads the files that options name, and takes the rest from the data directory. Throws OperatorError FILE_UNREADABLE. */
export async function readKeys(config: UpConfig, pki: PkiFiles): Promise<Keys> {
  const [clientCa, requestheaderCa, cert, key, signingKey, verificationKey] = await Promise.all([
    read(config.clientCaFile, pki.ca.cert),
    read(config.requestheaderClientCaFile, pki.frontProxyCa.cert),
    read(config.proxyClientCertFile, pki.frontProxyClient.cert),
    read(config.proxyClientKeyFile, pki.frontProxyClient.key),
    read(config.serviceAccountSigningKeyFile, pki.serviceAccount.key),
    read(config.serviceAccountKeyFile, pki.serviceAccount.publicKey),
  ]);
  return {
    clientCa,
    requestheaderCa,
    proxyClient: { cert, key },
    serviceAccount: { signingKey, verificationKey },
  };
}

async function read(file: string | undefined, otherwise: string): Promise<string> {
  if (file === undefined) return otherwise;
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new OperatorError('FILE_UNREADABLE', `cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
}

/** `data` of the ConfigMap `extension-apiserver-authentication`, from which extension API servers learn whom to trust. */
export const extensionAuthentication = (config: UpConfig, keys: Keys): Record<string, string> => ({
  'client-ca-file': keys.clientCa,
  'requestheader-client-ca-file': keys.requestheaderCa,
  'requestheader-allowed-names': JSON.stringify(config.requestheaderAllowedNames),
  'requestheader-username-headers': JSON.stringify(config.requestheaderUsernameHeaders),
  'requestheader-group-headers': JSON.stringify(config.requestheaderGroupHeaders),
  ...(config.requestheaderUidHeaders.length > 0
    ? { 'requestheader-uid-headers': JSON.stringify(config.requestheaderUidHeaders) }
    : {}),
  'requestheader-extra-headers-prefix': JSON.stringify(config.requestheaderExtraHeadersPrefix),
});

/** The names of all headers that may carry an identity, lower case; a prefix ends in a dash. */
export function identityHeaderNames(config: UpConfig): string[] {
  const always = ['X-Remote-User', 'X-Remote-Uid', 'X-Remote-Group', 'X-Remote-Extra-'];
  const configured = [
    ...config.requestheaderUsernameHeaders,
    ...config.requestheaderGroupHeaders,
    ...config.requestheaderUidHeaders,
    ...config.requestheaderExtraHeadersPrefix,
  ];
  return [...new Set([...always, ...configured].map((name) => name.toLowerCase()))];
}
