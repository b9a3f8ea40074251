/** Whether a key is under a prefix, or is it. */
export const covers = (prefix: string, key: string): boolean =>
  prefix.endsWith('/') ? key.startsWith(prefix) : key === prefix;

/**
 * Yields the parent folders of a key that are longer than a length: `/a/b/c` from 3 yields `/a/`; each ends
 * with a slash.
 */
export function* prefixesOf(key: string, fromLength: number): Generator<string> {
  for (let slash = key.indexOf('/', fromLength - 1); slash >= 0; slash = key.indexOf('/', slash + 1)) {
    yield key.slice(0, slash + 1);
  }
}
