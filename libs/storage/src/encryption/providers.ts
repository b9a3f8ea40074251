import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { secretbox } from '@noble/ciphers/salsa.js';
import { startsWith, type Transformer } from './transformer.ts';

const tooShort = 'the stored data was shorter than the required size';
const [gcmNonceBytes, gcmTagBytes] = [12, 16];
const [boxNonceBytes, boxTagBytes] = [24, 16];
const blockBytes = 16;

/** AES in Galois counter mode: nonce, ciphertext, tag. The key has 16, 24 or 32 bytes. */
export function aesGcm(key: Uint8Array): Transformer {
  const algorithm = `aes-${key.length * 8}-gcm` as 'aes-256-gcm';
  return {
    fromStorage(bytes, context) {
      if (bytes.length < gcmNonceBytes) throw new Error(tooShort);
      const end = bytes.length - gcmTagBytes;
      if (end < gcmNonceBytes) throw new Error(notAuthentic);
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, gcmNonceBytes), {
        authTagLength: gcmTagBytes,
      });
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(end));
      const value = decipher.update(bytes.subarray(gcmNonceBytes, end));
      try {
        decipher.final();
      } catch {
        throw new Error(notAuthentic);
      }
      return { value, stale: false };
    },
    toStorage(value, context) {
      const nonce = randomBytes(gcmNonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    },
  };
}

/** Go's error of a wrong key, another place, or changed bytes. */
const notAuthentic = 'cipher: message authentication failed';

/** AES in cipher block chaining mode with PKCS #7 padding, not authenticated: IV, ciphertext. The key has 16, 24 or 32 bytes. */
export function aesCbc(key: Uint8Array): Transformer {
  const algorithm = `aes-${key.length * 8}-cbc`;
  return {
    fromStorage(bytes) {
      if (bytes.length < blockBytes) throw new Error(tooShort);
      const encrypted = bytes.subarray(blockBytes);
      if (encrypted.length % blockBytes !== 0)
        throw new Error('the stored data is not a multiple of the block size');
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, blockBytes)).setAutoPadding(false);
      return { value: unpadded(decipher.update(encrypted)), stale: false };
    },
    toStorage(value) {
      const iv = randomBytes(blockBytes);
      const cipher = createCipheriv(algorithm, key, iv);
      return Buffer.concat([iv, cipher.update(value), cipher.final()]);
    },
  };
}

function unpadded(bytes: Uint8Array): Uint8Array {
  const padding = bytes.at(-1) ?? 0;
  if (padding === 0 || padding > bytes.length) throw new Error('invalid PKCS7 data (empty or not padded)');
  const end = bytes.length - padding;
  if (bytes.subarray(end).some((byte) => byte !== padding)) throw new Error('invalid padding on input');
  return bytes.subarray(0, end);
}

/** XSalsa20 and Poly1305 as in NaCl's secretbox: nonce, tag, ciphertext. The key has 32 bytes. */
export const secretBox = (key: Uint8Array): Transformer => ({
  fromStorage(bytes) {
    if (bytes.length < boxNonceBytes + boxTagBytes) throw new Error(tooShort);
    try {
      const box = secretbox(key, bytes.subarray(0, boxNonceBytes));
      return { value: box.open(bytes.subarray(boxNonceBytes)), stale: false };
    } catch {
      // The message of kube-apiserver for a wrong key.
      throw new Error('output array was not large enough for encryption');
    }
  },
  toStorage(value) {
    const nonce = randomBytes(boxNonceBytes);
    return Buffer.concat([nonce, secretbox(key, nonce).seal(value)]);
  },
});

const encryptedPrefix = Buffer.from('k8s:enc:');

/** Stores values as they are. Encrypted values are errors. */
export const identity: Transformer = {
  fromStorage(bytes) {
    if (startsWith(bytes, encryptedPrefix))
      throw new Error('identity transformer tried to read encrypted data');
    return { value: bytes, stale: false };
  },
  toStorage: (value) => value,
};
