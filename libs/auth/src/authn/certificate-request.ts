import { tableOf } from '@annex/machinery';
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readPem } from '@annex/machinery';
import { derChildren, type DerElement, derElements } from './der.ts';

const organization = '55040a';

/** The parts of a PKCS #10 request. Source: RFC 2986, section 4. */
function partsOf(pem: string): { info: DerElement; algorithm: DerElement; signature: Buffer } {
  const [block] = readPem(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const [info, algorithm, signature] = derChildren(block.bytes);
  if (info === undefined || algorithm === undefined || signature === undefined) {
    throw new Error('x509: malformed certificate request');
  }
  // The first byte of a bit string is the number of its unused bits.
  return { info, algorithm, signature: signature.content.subarray(1) };
}

/**
 * Returns the organizations in the subject of a PKCS #10 request in PEM. Throws if it is not one. Source: RFC
 * 2986, section 4.
 */
export function requestedOrganizations(pem: string): string[] {
  const [, subject] = derElements(partsOf(pem).info.content);
  return derElements(subject?.content ?? Buffer.alloc(0))
    .flatMap(({ content }) => derElements(content))
    .map(({ content }) => derElements(content))
    .filter(([id]) => id?.content.toString('hex') === organization)
    .map(([, value]) => value?.content.toString() ?? '');
}

/** The signature hashes by the bytes of their object identifiers; Ed25519 has none. */
const hashes = tableOf<string | null>({
  '2a864886f70d01010b': 'sha256',
  '2a864886f70d01010c': 'sha384',
  '2a864886f70d01010d': 'sha512',
  '2a8648ce3d040302': 'sha256',
  '2a8648ce3d040303': 'sha384',
  '2a8648ce3d040304': 'sha512',
  '2b6570': null,
});

const refusals: Readonly<Record<string, string>> = {
  ec: 'x509: ECDSA verification failure',
  ed25519: 'x509: Ed25519 verification failure',
  rsa: 'crypto/rsa: verification error',
};

/** Throws if a text is not a PKCS #10 request in PEM, or if its own key did not sign it. */
export function checkCertificateRequest(pem: string): void {
  const { info, algorithm, signature } = partsOf(pem);
  const hash = hashes.get(derElements(algorithm.content)[0]?.content.toString('hex') ?? '');
  if (hash === undefined) throw new Error('x509: cannot verify signature: algorithm unimplemented');
  const key = requestedKey(info);
  if (verify(hash, info.bytes, key, signature)) return;
  throw new Error(refusals[key.asymmetricKeyType ?? ''] ?? 'x509: signature does not match');
}

function requestedKey(info: DerElement): KeyObject {
  const [, , key] = derElements(info.content);
  return createPublicKey({ key: key?.bytes ?? Buffer.alloc(0), format: 'der', type: 'spki' });
}
