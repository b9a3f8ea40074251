/** A duration in nanoseconds, or Go's error for an invalid text. */
export type ReadDuration = { nanoseconds: bigint } | { error: string };

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['\u00b5s', 1000n],
  ['\u03bcs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const maxInt64 = (1n << 63n) - 1n;
/** Numbers with more digits exceed 64 bits, and reading them takes quadratic time. */
export const maxDurationDigits = 19;

// Each part begins at the end of the previous one, and adjacent repetitions accept different characters.
const number = /(\d*)(?:\.(\d*))?/y;
const unitName = /[^\d.]+/y;

/** Reads a duration such as `1h30m` or `-1.5s` like Go's `time.ParseDuration`, in linear time. */
export function readDuration(text: string): ReadDuration {
  const negative = text.startsWith('-');
  let at = negative || text.startsWith('+') ? 1 : 0;
  if (text.length === at + 1 && text.endsWith('0')) return { nanoseconds: 0n };
  const limit = maxInt64 + (negative ? 1n : 0n);
  if (at === text.length) return invalid(text);
  let sum = 0n;
  while (at < text.length) {
    const [matched = '', whole, fraction = ''] = match(number, text, at);
    const value = readWhole(whole ?? '');
    if (value === undefined || (whole === '' && fraction === '')) return invalid(text);
    at += matched.length;
    const [name = ''] = match(unitName, text, at);
    if (name === '') return { error: `time: missing unit in duration ${quote(text)}` };
    const unit = units.get(name);
    if (unit === undefined) return { error: `time: unknown unit ${quote(name)} in duration ${quote(text)}` };
    at += name.length;
    sum += value * unit + fractionOf(fraction, unit);
    if (sum > maxInt64 + 1n) return invalid(text);
  }
  return sum > limit ? invalid(text) : { nanoseconds: negative ? -sum : sum };
}

const invalid = (text: string): ReadDuration => ({ error: `time: invalid duration ${quote(text)}` });

function match(pattern: RegExp, text: string, at: number): readonly (string | undefined)[] {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? [];
}

/** Returns `undefined` if the number exceeds 64 bits. */
function readWhole(digits: string): bigint | undefined {
  const significant = digits.replace(/^0+/, '');
  if (significant.length > maxDurationDigits) return undefined;
  const value = BigInt(significant);
  return value > maxInt64 + 1n ? undefined : value;
}

/** Go computes fractions as float64, and ignores the digits beyond 63 bits. */
function fractionOf(digits: string, unit: bigint): bigint {
  let significant = digits.slice(0, maxDurationDigits);
  if (BigInt(significant) > maxInt64 + 1n) significant = significant.slice(0, -1);
  return BigInt(Math.trunc(Number(significant) * (Number(unit) / 10 ** significant.length)));
}

const utf8 = new TextEncoder();

/** Quotes a text like Go's package time: the bytes of characters that are not printable ASCII are escaped. */
function quote(text: string): string {
  const escaped = text.replace(/["\\]|[^\x20-\x7f]+/g, (found) =>
    found === '"' || found === '\\'
      ? `\\${found}`
      : Array.from(utf8.encode(found), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  );
  return `"${escaped}"`;
}
