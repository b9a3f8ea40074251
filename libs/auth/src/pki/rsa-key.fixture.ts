import { generateKeyPairSync } from 'node:crypto';

/** Returns an RSA key, PEM, as users bring them and as earlier versions of Annex made them. */
export const rsaKey = (): string =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs1',
    format: 'pem',
  }) as string;
