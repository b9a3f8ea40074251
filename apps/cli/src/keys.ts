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
