const isAsciiLetter = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
const isLetter = (code: number, char: string): boolean =>
  isAsciiLetter(code) || (code > 0x7f && /\p{L}/u.test(char));
const isDigit = (char: string | undefined): boolean => char !== undefined && /\p{Nd}/u.test(char);

/**
 * Compares keys in the sort order of kube-apiserver's YAML library: digits within them compare as numbers.
 */
export function compareYamlKeys(left: string, right: string): number {
  let same = 0;
  while (same < left.length && left.charCodeAt(same) === right.charCodeAt(same)) same++;
  if (isAsciiLetter(left.charCodeAt(same)) && isAsciiLetter(right.charCodeAt(same))) {
    return left.charCodeAt(same) - right.charCodeAt(same);
  }
  const [a, b] = [[...left], [...right]];
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [charA, charB] = [a[i] ?? '', b[i] ?? ''];
    if (charA === charB) continue;
    const [codeA, codeB] = [charA.codePointAt(0) ?? 0, charB.codePointAt(0) ?? 0];
    const [letterA, letterB] = [isLetter(codeA, charA), isLetter(codeB, charB)];
    if (letterA && letterB) return codeA - codeB;
    if (letterA || letterB) return letterB ? -1 : 1;
    return compareNumbers(a, b, i) || codeA - codeB;
  }
  return a.length - b.length;
}

/** Compares the numbers that differ from this index on; the digits before are common to both. */
function compareNumbers(a: string[], b: string[], from: number): number {
  const start = (a[from] === '0' || b[from] === '0') && followsDigit(a, from) ? 1n : 0n;
  const [numberA, endA] = digits(a, from, start);
  const [numberB, endB] = digits(b, from, start);
  if (numberA !== numberB) return numberA < numberB ? -1 : 1;
  return endA - endB;
}

function followsDigit(text: string[], at: number): boolean {
  for (let j = at - 1; j >= 0 && isDigit(text[j]); j--) if (text[j] !== '0') return true;
  return false;
}

function digits(text: string[], from: number, start: bigint): [bigint, number] {
  let [value, end] = [start, from];
  for (; isDigit(text[end]); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt((text[end]?.codePointAt(0) ?? 0x30) - 0x30));
  }
  return [value, end];
}
