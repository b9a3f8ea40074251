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
  // A bit string begins with the number of its unused bits.
  return { info, algorithm, signature: signature.content.subarray(1) };
}

/** The organizations in the subject of a PKCS #10 request in PEM. Throws where it is none. Source: RFC 2986, section 4. */
export function requestedOrganizations(pem: string): string[] {
  const [, subject] = derElements(partsOf(pem).info.content);
  return derElements(subject?.content ?? Buffer.alloc(0))
    .flatMap(({ content }) => derElements(content))
    .map(({ content }) => derElements(content))
    .filter(([id]) => id?.content.toString('hex') === organization)
    .map(([, value]) => value?.content.toString() ?? '');
}

/** The hashes of the signatures that a request may have, by the bytes of their object identifiers; Ed25519 has none. */
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

/** Throws where a text is no PKCS #10 request in PEM, or one that its own key has not signed. */
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
