import { setOwn } from '@annex/machinery';
import type { LiveFiles, LiveText } from '@annex/runtime';
import { type AuthenticationData, publishedAuthenticators } from './trusted-proxies.ts';

/**
 * Replacements for keys of the ConfigMap `extension-apiserver-authentication`: each key with a text, or with
 * a file that is read again when it changes.
 */
export type TrustSource = Readonly<Record<string, string | { file: string }>>;

/** The current values of a {@link TrustSource}. */
export interface LiveTrust {
  current(): AuthenticationData;
  /** Calls the listener after each change. */
  onChange(listener: () => void): void;
}

/** Reads the files. Throws OperatorError FILE_UNREADABLE if one of them contains no certificates. */
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
