/** The folders that a key lies in, from a length on: `/a/b/c` from 3 gives `/a/`; each ends with a slash. */
export function* prefixesOf(key: string, fromLength: number): Generator<string> {
  for (let slash = key.indexOf('/', fromLength - 1); slash >= 0; slash = key.indexOf('/', slash + 1)) {
    yield key.slice(0, slash + 1);
  }
}
