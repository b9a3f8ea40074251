import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { readTextFileSync, trustedCertificates } from '@annex/runtime';
import type { EgressTls } from './configuration.ts';
import { certificateProblem, keyProblem } from './pem-problem.ts';

/** The contents of the files of {@link EgressTls}. */
export interface TlsTexts {
  ca: string | undefined;
  cert: string;
  key: string;
}

/** Reads the files. Throws kube-apiserver's text. */
export const readTlsFiles = (tls: EgressTls): TlsTexts => ({
  cert: read(tls.clientCert, pairFile(tls)),
  key: read(tls.clientKey, pairFile(tls)),
  ca: tls.caBundle === '' ? undefined : read(tls.caBundle, `cert file ${tls.caBundle}`),
});

const pairFile = ({ clientCert, clientKey }: EgressTls): string => `key pair ${clientCert} & ${clientKey}`;

function read(file: string, what: string): string {
  try {
    return readTextFileSync(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw unreadable(what, fileTexts.get(code ?? '')?.(file) ?? message);
  }
}

const unreadable = (what: string, why: string): Error => new Error(`failed to read ${what}, got ${why}`);

/** Go's texts. */
const fileTexts = new Map<string, (file: string) => string>([
  ['ENOENT', (file) => `open ${file}: no such file or directory`],
  ['EACCES', (file) => `open ${file}: permission denied`],
  ['EISDIR', (file) => `read ${file}: is a directory`],
]);

/** Returns the context of the contents. Throws kube-apiserver's text if they are no certificates, or do not belong together. */
export function contextOf({ ca, cert, key }: TlsTexts, tls: EgressTls): SecureContext {
  const problem = certificateProblem(cert) ?? keyProblem(key);
  if (problem !== undefined) throw unreadable(pairFile(tls), problem);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw unreadable(pairFile(tls), pairTexts.get(code ?? '') ?? message);
  }
  // Node ignores a bundle without a certificate, and would trust nobody.
  if (ca !== undefined && !isCertificate(ca)) throw new Error('failed to append CA cert to the cert pool');
  return createSecureContext({ ...trustedCertificates(ca), cert, key });
}

/** OpenSSL's errors and Go's. */
const pairTexts = new Map([
  ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'tls: private key does not match public key'],
]);

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).fingerprint !== '';
  } catch {
    return false;
  }
}
