import type * as encryption from './encryption.ts';

/** Encrypted stores, and the transformers of kube-apiserver's providers. */
export type EncryptionModule = typeof encryption;

/** Loads the code of encryption, which most processes do not need. */
export const loadEncryption = (): Promise<EncryptionModule> => import('./encryption.ts');
