import { setOwn } from '@annex/machinery';
import type { LiveFiles, LiveText } from '@annex/runtime';
import { type AuthenticationData, publishedAuthenticators } from './trusted-proxies.ts';

/**
 * Whom to trust in the place of those whom the API server publishes: keys of the ConfigMap
 * `extension-apiserver-authentication`, each with its text or with a file that is read again when it changes.
 */
export type TrustSource = Readonly<Record<string, string | { file: string }>>;

/** A {@link TrustSource} as it is now. */
export interface LiveTrust {
  current(): AuthenticationData;
  /** Calls back after each change. */
  onChange(listener: () => void): void;
}

/** Reads the files. Throws OperatorError FILE_UNREADABLE where one of them holds no authorities. */
export async function openTrust(source: TrustSource, files: LiveFiles): Promise<LiveTrust> {
  const texts: Record<string, string> = {};
  const live: Record<string, LiveText> = {};
  for (const [key, value] of Object.entries(source)) {
    if (typeof value === 'string') setOwn(texts, key, value);
    else
      setOwn(live, key, await files.open(value.file, (pem) => void publishedAuthenticators({ [key]: pem })));
  }
  return {
    current: () => ({
      ...texts,
      ...Object.fromEntries(Object.entries(live).map(([key, text]) => [key, text.current()])),
    }),
    onChange(listener) {
      for (const text of Object.values(live)) text.onChange(listener);
    },
  };
}
