import { createSecureContext } from 'node:tls';
import { readTextFileSync } from '@annex/runtime';
import type { ClientConfig } from './config.ts';
import { followFiles } from './followed-files.ts';

/**
 * Returns a function that returns the configuration with the current content of its `tlsFiles`: the same object while nothing
 * has changed. A certificate without its key, or a file that is not PEM, changes nothing.
 */
export function followTlsFiles(config: ClientConfig): () => ClientConfig {
  const { tlsFiles } = config;
  if (tlsFiles === undefined) return () => config;
  let current = config;
  const read = (): ClientConfig => {
    const content = (file: string | undefined, previous: string | undefined) =>
      file === undefined ? previous : readTextFileSync(file);
    const ca = content(tlsFiles.ca, config.ca);
    const cert = content(tlsFiles.cert, config.cert);
    const key = content(tlsFiles.key, config.key);
    if (ca === current.ca && cert === current.cert && key === current.key) return current;
    createSecureContext({ ca, ...(cert === undefined ? {} : { cert, key }) });
    const changed = Object.entries({ ca, cert, key }).filter(([, text]) => text !== undefined);
    return (current = { ...config, ...Object.fromEntries(changed) });
  };
  return followFiles(Object.values(tlsFiles), read, config);
}
