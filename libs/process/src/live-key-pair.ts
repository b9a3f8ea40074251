import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type LiveFiles, OperatorError } from '@annex/runtime';

/** A certificate with its key, PEM, which may be replaced while the process runs. */
export interface LiveKeyPair {
  current(): { cert: string; key: string };
  /** Calls back after each change, until the function that it returns is called. */
  onChange(listener: () => void): () => void;
}

/**
 * Follows the files of a certificate and its key; a new pair counts when both fit together. Throws OperatorError
 * FILE_UNREADABLE where they do not at first.
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
    // One of the two files is always replaced first.
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

/** A certificate and a key that never change. */
export const fixedKeyPair = (pair: { cert: string; key: string }): LiveKeyPair => ({
  current: () => pair,
  onChange: () => () => {},
});
