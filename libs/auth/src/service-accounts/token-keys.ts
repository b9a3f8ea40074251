import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

/** A key that verifies tokens. */
export interface VerificationKey {
  /** As kube derives it: the SHA-256 of the public key. */
  id: string;
  key: KeyObject;
  algorithms: string[];
}

const pemBlock = /-----BEGIN ([A-Z ]+)-----[^-]*-----END \1-----/g;

/** The keys of a PEM file: public keys, private keys or certificates, any number. Throws where there is none of use. */
export function verificationKeys(pem: string): VerificationKey[] {
  const keys = [...pem.matchAll(pemBlock)].map(([block, label]) =>
    verificationKey(publicKey(block, label ?? '')),
  );
  if (keys.length === 0) throw new Error('the file holds no PEM key');
  return keys;
}

function publicKey(block: string, label: string): KeyObject {
  return label === 'CERTIFICATE' ? new X509Certificate(block).publicKey : createPublicKey(block);
}

function verificationKey(key: KeyObject): VerificationKey {
  return { id: keyId(key), key, algorithms: [signatureAlgorithm(key)] };
}

function keyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url');
}

const curves: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};

function signatureAlgorithm(key: KeyObject): string {
  const curve = curves[key.asymmetricKeyDetails?.namedCurve ?? ''];
  if (key.asymmetricKeyType === 'rsa') return 'RS256';
  if (key.asymmetricKeyType === 'ec' && curve !== undefined) return curve;
  throw new Error(`keys of type ${key.asymmetricKeyType} do not sign service-account tokens`);
}

/** A key that signs tokens. */
export interface SigningKey {
  id: string;
  key: KeyObject;
  algorithm: string;
}

/** The signing key in a PEM file. */
export function signingKey(pem: string): SigningKey {
  const key = createPrivateKey(pem);
  return { id: keyId(createPublicKey(key)), key, algorithm: signatureAlgorithm(key) };
}
