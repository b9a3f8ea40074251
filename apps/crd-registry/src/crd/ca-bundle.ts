import { X509Certificate } from 'node:crypto';
import { readPem } from '@annex/machinery';
import type { Crd } from './crd.ts';

/** Returns kube's error for the base64 text of a PEM bundle; `undefined` if it contains a certificate. */
export function caBundleError(base64: string): string | undefined {
  const failed = 'unable to load root certificates: ';
  const blocks = readPem(Buffer.from(base64, 'base64').toString('latin1'));
  if (blocks.length === 0) return `${failed}unable to parse bytes as PEM block`;
  const certificates = blocks.filter(({ type }) => type === 'CERTIFICATE');
  if (certificates.some(({ bytes }) => isCertificate(bytes))) return undefined;
  return certificates.length === 0
    ? `${failed}no valid certificate authority data seen`
    : `${failed}failed to parse certificate: x509: malformed certificate`;
}

/** True if the CA bundle of a conversion webhook cannot be parsed. */
export function hasBadCaBundle({ spec }: Crd): boolean {
  const bundle = spec.conversion?.webhook?.clientConfig?.caBundle;
  return bundle !== undefined && caBundleError(bundle) !== undefined;
}

function isCertificate(der: Buffer): boolean {
  try {
    new X509Certificate(der);
    return true;
  } catch {
    return false;
  }
}
