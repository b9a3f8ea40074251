import { goQuote } from '@annex/machinery';
import { fail } from '../errors.ts';
import { Duration, parseDuration, parseTimestamp, Timestamp } from '../values/time.ts';

// The string formats that expressions see as other types, parsed as in kube-openapi's strfmt.

/** Returns true for a date: `2024-02-29`. */
export function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  if (day < 1 || day > (daysInMonth[month - 1] ?? 0)) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month !== 2 || day < 29 || leap;
}

const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The most frequent form, with days that every month has: a fast path. */
const usualDateTime = /^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** Returns true for a date-time; lowercase letters are accepted. */
export function isDateTime(text: string): boolean {
  if (usualDateTime.test(text)) return true;
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const parts = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time);
  if (parts === null) return false;
  const [, hours = '', minutes = '', seconds = ''] = parts;
  return hours <= '23' && minutes <= '59' && seconds <= '59';
}

/** Returns true for standard base64, with `+` and `/`. */
export function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text);
}

/** Returns true for Go's form (`1h30m`) and for numbers with units (`3 days`). */
export const isTextDuration = (text: string): boolean => readDuration(text) !== undefined;

/** Returns the start of a date, in UTC. */
export function dateValue(text: string): Timestamp {
  if (!isDate(text)) {
    const cause = `parsing time ${goQuote(text)} as "2006-01-02": cannot parse ${goQuote(text)} as "2006"`;
    return fail(`Invalid date formatted string ${text}: ${cause}`);
  }
  return new Timestamp(Date.parse(`${text}T00:00:00Z`) / 1000, 0);
}

/** Parses a date-time, in UTC if it has no zone. */
export function dateTimeValue(text: string): Timestamp {
  const local = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}([.,]\d+)?$/.test(text) ? `${text}Z` : text;
  const value = parseTimestamp(local);
  if (value) return value;
  const letter = /^.{10}t/.test(text) ? text.slice(10) : undefined;
  const cause =
    letter === undefined
      ? `parsing time ${goQuote(text)}: extra text: ${goQuote(text.slice(19))}`
      : `parsing time ${goQuote(text)} as "2006-01-02T15:04:05": cannot parse ${goQuote(letter)} as "T"`;
  return fail(`Invalid date-time formatted string ${text}: ${cause}`);
}

/** Parses a duration in either form. */
export function durationValue(text: string): Duration {
  return readDuration(text) ?? fail(`Invalid duration ${text}: unable to parse ${text} as duration`);
}

/** Decodes URL-safe base64, with `-` and `_`; fails for other values that the format accepts. */
export function bytesValue(text: string): Uint8Array {
  const invalidAt = text.search(/[^A-Za-z0-9_=-]/);
  if (invalidAt >= 0) {
    return fail(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${invalidAt}`);
  }
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** The last name of each unit is a prefix: it matches any word that starts with it. */
const units: readonly (readonly [names: readonly string[], nanos: bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', 'µs', 'micro'], 1000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], 1_000_000_000n],
  [['m', 'min'], 60_000_000_000n],
  [['h', 'hr', 'hour'], 3_600_000_000_000n],
  [['d', 'day'], 86_400_000_000_000n],
  [['w', 'wk', 'week'], 604_800_000_000_000n],
];

function readDuration(text: string): Duration | undefined {
  const exact = parseDuration(text);
  if (exact) return exact;
  let nanos: bigint | undefined;
  for (const { number, word } of numberedWords(text)) {
    if (number.length > 18) return undefined;
    const unit = word.toLowerCase();
    for (const [names, scale] of units) {
      if (!names.includes(unit) && !unit.startsWith(names.at(-1) ?? '')) continue;
      nanos = BigInt.asIntN(64, (nanos ?? 0n) + BigInt(number) * scale);
    }
  }
  return nanos === undefined ? undefined : new Duration(nanos);
}

/** Splits into numbers and the words after them, with or without spaces between them. */
function numberedWords(text: string): { number: string; word: string }[] {
  const parts = text.match(/\d+|[A-Za-zµ]+|\s+|[^\dA-Za-zµ\s]+/g) ?? [];
  return parts.flatMap((word, i) => {
    const number = /^\s/.test(parts[i - 1] ?? '') ? parts[i - 2] : parts[i - 1];
    return /^[A-Za-zµ]/.test(word) && number !== undefined && /^\d/.test(number) ? [{ number, word }] : [];
  });
}
