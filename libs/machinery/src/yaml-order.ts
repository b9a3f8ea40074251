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
  const [first, second] = [left.charCodeAt(same), right.charCodeAt(same)];
  if (isAsciiLetter(first) && isAsciiLetter(second)) return first - second;
  // An object may have many keys that differ in a number only.
  const numbers = shortNumbers(left, right, same);
  if (numbers !== undefined) return numbers;
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

const isAsciiDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** Digits that are exact in a float64. */
const exactDigits = 15;

/**
 * Compares two ASCII numbers without leading zeros that begin to differ at this index, as {@link compareNumbers} does; `undefined` for
 * everything else.
 */
function shortNumbers(left: string, right: string, at: number): number | undefined {
  const [first, second] = [left.charCodeAt(at), right.charCodeAt(at)];
  if (!isAsciiDigit(first) || !isAsciiDigit(second) || first === 0x30 || second === 0x30) return undefined;
  const [endA, endB] = [digitsEnd(left, at), digitsEnd(right, at)];
  if (endA - at > exactDigits || endB - at > exactDigits) return undefined;
  // Both have other digits at the same place: the longer number is larger.
  return endA - endB || first - second;
}

/** Returns the end of a run of ASCII digits; infinity if a digit beyond ASCII could follow. */
function digitsEnd(text: string, from: number): number {
  let end = from;
  while (isAsciiDigit(text.charCodeAt(end))) end++;
  return text.charCodeAt(end) > 0x7f ? Infinity : end;
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
