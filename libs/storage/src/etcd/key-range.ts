import { keyText, requestKey } from './keys.ts';

/** The keys of a request: those under `prefix` from `startKey` on for which `includes` is true. */
export interface KeyRange {
  prefix: string;
  startKey: string;
  /** Absent if all of them are included, which stores can list, count and limit efficiently. */
  includes?: (key: string) => boolean;
}

/** Converts `key` and `range_end` of a request; without `range_end` the range is one key. */
export function keyRange(key: Uint8Array, rangeEnd: Uint8Array): KeyRange {
  const startKey = requestKey(key);
  if (rangeEnd.length === 0) return { prefix: startKey, startKey, includes: (other) => other === startKey };
  if (rangeEnd.length === 1 && rangeEnd[0] === 0)
    return { prefix: '', startKey: startKey === '\0' ? '' : startKey };
  const prefix = prefixBefore(rangeEnd);
  if (startKey.startsWith(prefix)) return { prefix, startKey };
  const end = keyText(rangeEnd);
  return {
    prefix: sharedPrefix(startKey, end),
    startKey,
    includes: (other) => other >= startKey && other < end,
  };
}

/** Returns the prefix whose end is these bytes. */
function prefixBefore(rangeEnd: Uint8Array): string {
  const prefix = Buffer.from(rangeEnd);
  prefix[prefix.length - 1]!--;
  return keyText(prefix);
}

function sharedPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}
