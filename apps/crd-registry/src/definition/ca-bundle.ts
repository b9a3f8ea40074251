import { X509Certificate } from 'node:crypto';
import type { Crd } from './crd.ts';

const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** What is wrong with the base64 text of a PEM bundle, in kube's words; `undefined` where it holds a certificate. */
export function caBundleComplaint(base64: string): string | undefined {
  const failed = 'unable to load root certificates: ';
  const blocks = [...Buffer.from(base64, 'base64').toString('latin1').matchAll(block)];
  if (blocks.length === 0) return `${failed}unable to parse bytes as PEM block`;
  const certificates = blocks.filter((match) => match[1] === 'CERTIFICATE');
  if (certificates.some(([pem]) => isCertificate(pem))) return undefined;
  return certificates.length === 0
    ? `${failed}no valid certificate authority data seen`
    : `${failed}failed to parse certificate: x509: malformed certificate`;
}

/** True where a CRD names authorities of its conversion webhook that cannot be read. */
export function hasBadCaBundle({ spec }: Crd): boolean {
  const bundle = spec.conversion?.webhook?.clientConfig?.caBundle;
  return bundle !== undefined && caBundleComplaint(bundle) !== undefined;
}

function isCertificate(pem: string): boolean {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
}
