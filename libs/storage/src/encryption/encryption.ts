export { type Encryption, encryptedStore } from './encrypted-store.ts';
export { aesCbc, aesGcm, identity, secretBox } from './providers.ts';
export { prefixTransformer } from './transformer.ts';
