import { createPrivateKey, X509Certificate } from 'node:crypto';
import { OperatorError } from './error-codes.ts';
import type { LiveFiles } from './live-files.ts';

/** A certificate and its key, PEM, which can be replaced while the process runs. */
export interface LiveKeyPair {
  current(): { cert: string; key: string };
  /** Calls the listener after each change. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

/**
 * Follows the files of a certificate and its key; a new pair is used when certificate and key match. Throws
 * OperatorError FILE_UNREADABLE if the first pair does not match.
 */
export async function openKeyPair(files: LiveFiles, certFile: string, keyFile: string): Promise<LiveKeyPair> {
  const [cert, key] = await Promise.all([
    files.open(certFile, (pem) => void new X509Certificate(pem)),
    files.open(keyFile, (pem) => void createPrivateKey(pem)),
  ]);
  const newest = () => ({ cert: cert.current(), key: key.current() });
  let pair = newest();
  if (!fits(pair)) throw new OperatorError('FILE_UNREADABLE', `${keyFile} is not the key of ${certFile}`);
  const listeners = new Set<() => void>();
  const changed = () => {
    const next = newest();
    // The two files are replaced one after the other.
    if (!fits(next)) return;
    pair = next;
    for (const listener of [...listeners]) listener();
  };
  cert.onChange(changed);
  key.onChange(changed);
  return {
    current: () => pair,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const fits = ({ cert, key }: { cert: string; key: string }): boolean =>
  new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));

/** Returns a certificate and a key that never change. */
export const fixedKeyPair = (pair: { cert: string; key: string }): LiveKeyPair => ({
  current: () => pair,
  onChange: () => () => {},
});
