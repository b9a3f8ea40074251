import { tableOf } from '@annex/machinery';
import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type PemBlock, readPem } from '@annex/machinery';

/** A key that verifies tokens. */
export interface VerificationKey {
  /** The key ID as in kube-apiserver: the SHA-256 of the public key. */
  id: string;
  key: KeyObject;
  /** The algorithm that is published with the key. */
  algorithm: string;
  /** The algorithms that tokens may be signed with. */
  algorithms: readonly string[];
}

/**
 * Reads the keys of a PEM file: any number of public keys, private keys or certificates. Other blocks are
 * ignored, as in kube-apiserver. Throws if there is no usable key.
 */
export function verificationKeys(pem: string): VerificationKey[] {
  const keys = readPem(pem).flatMap(verificationKey);
  if (keys.length === 0) throw new Error('data does not contain any valid RSA or ECDSA public keys');
  return keys;
}

/** Throws on a PEM file without keys that verify tokens. */
export const requireVerificationKeys = (pem: string): void => void verificationKeys(pem);

function verificationKey(block: PemBlock): VerificationKey[] {
  const key = publicKey(block);
  const algorithm = key && signatureAlgorithm(key);
  if (key === undefined || algorithm === undefined) return [];
  return [{ id: keyId(key), key, algorithm, algorithms: algorithm === 'RS256' ? rsa : [algorithm] }];
}

const rsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

function publicKey({ type, bytes, text }: PemBlock): KeyObject | undefined {
  try {
    return type === 'CERTIFICATE' ? new X509Certificate(bytes).publicKey : createPublicKey(text);
  } catch {
    return undefined;
  }
}

function keyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}

const curves = tableOf({
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
});

/** `undefined` for keys that do not sign service-account tokens. */
function signatureAlgorithm(key: KeyObject): string | undefined {
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  return key.asymmetricKeyType === 'ec' ? curves.get(key.asymmetricKeyDetails?.namedCurve ?? '') : undefined;
}

/** A key that signs tokens. */
export interface SigningKey {
  id: string;
  key: KeyObject;
  algorithm: string;
}

/** Returns the first private key of a PEM file that can sign tokens. Throws if there is none. */
export function signingKey(pem: string): SigningKey {
  for (const { text } of readPem(pem)) {
    const key = privateKey(text);
    const algorithm = key && signatureAlgorithm(key);
    if (key && algorithm) return { id: keyId(createPublicKey(key)), key, algorithm };
  }
  throw new Error('data does not contain a valid RSA or ECDSA private key');
}

function privateKey(block: string): KeyObject | undefined {
  try {
    return createPrivateKey(block);
  } catch {
    return undefined;
  }
}
