import { X509Certificate } from 'node:crypto';
import type { PeerCertificate } from 'node:tls';
import type { Credentials } from '../types.ts';

/** Credentials for tests: certificates as PEM, the leaf first, and headers as name-value pairs. */
export function credentialsOf(
  chain: readonly string[],
  headers: readonly [string, string][] = [],
): Credentials {
  const raws = chain.map((pem) => new X509Certificate(pem).raw);
  const peer = raws.reduceRight<object | undefined>(
    (issuerCertificate, raw) => ({ raw, issuerCertificate }),
    undefined,
  );
  const joined: Record<string, string> = {};
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    joined[key] = joined[key] === undefined ? value : `${joined[key]}, ${value}`;
  }
  return {
    headers: joined,
    rawHeaders: headers.flat(),
    peerCertificate: peer as PeerCertificate | undefined,
  };
}
