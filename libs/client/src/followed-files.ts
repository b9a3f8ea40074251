import { statSync } from 'node:fs';
import { readTextFileSync } from '@annex/runtime';

/** Returns the state of a file by which a change is noticed; undefined for a file that is missing. */
function stampOf(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found && `${found.mtimeMs} ${found.size} ${found.ino}`;
}

/**
 * Returns a function that returns what is read from some files, and reads them again when one has changed. While a changed file
 * cannot be read, or `read` throws, it returns the previous value; it throws the error if there is none.
 */
export function followFiles<T>(files: readonly string[], read: () => T, previous?: T): () => T {
  let known: string | undefined;
  let value = previous;
  return () => {
    try {
      const now = files.map(stampOf).join();
      if (value !== undefined && now === known) return value;
      known = now;
      value = read();
    } catch (error) {
      // The other files of a change may come later.
      if (value === undefined) throw error;
    }
    return value;
  };
}

/** Returns a token that is read again when its file changes: tokens of service accounts are renewed in place. */
export const tokenFile = (file: string): (() => string) =>
  followFiles([file], () => readTextFileSync(file).trim());
