/** Returns the name that is most similar to an unknown one, if any is similar: for "did you mean …?". */
export function nearestName(unknown: string, names: readonly string[]): string | undefined {
  // A long word costs the product of two lengths.
  if (unknown.length > maxUnknownLength) return undefined;
  let best: string | undefined;
  let least = Math.floor(unknown.length / 3) + 1;
  for (const name of names) {
    if (Math.abs(unknown.length - name.length) >= least) continue;
    const distance = editDistance(unknown, name, least);
    if (distance < least) [best, least] = [name, distance];
  }
  return best ?? names.find((name) => isPart(unknown, name));
}

/** Returns `; did you mean NAME?`, or nothing if no other name is similar. */
export function didYouMean(unknown: string, names: readonly string[], prefix = ''): string {
  const near = nearestName(unknown, names);
  return near === undefined || near === unknown ? '' : `; did you mean ${prefix}${near}?`;
}

/** Longer words are not compared with names. */
export const maxUnknownLength = 100;

/** True if one of the words begins or ends with the other, at a dash: `port` in `secure-port`. */
const isPart = (a: string, b: string): boolean => {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= 3 && (long.startsWith(`${short}-`) || long.endsWith(`-${short}`));
};

/**
 * Returns the number of inserted, removed, replaced and swapped characters between two words, or `limit` if it is
 * not less.
 */
function editDistance(a: string, b: string, limit: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  let leastOfLast = 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let distance = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        distance = Math.min(distance, beforeLast[j - 2]! + 1);
      row.push(distance);
      if (distance < least) least = distance;
    }
    // A swap continues from the row before the last one.
    if (least >= limit && leastOfLast >= limit) return limit;
    [beforeLast, last, leastOfLast] = [last, row, least];
  }
  return last[b.length]!;
}
