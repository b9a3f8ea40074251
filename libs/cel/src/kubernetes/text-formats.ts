import { goQuote } from '@annex/machinery';
import { fail } from '../errors.ts';
import { Duration, parseDuration, parseTimestamp, Timestamp } from '../values/time.ts';

// The formats of strings whose values are no strings in expressions, as kube-openapi's strfmt reads them.

/** True for a day: `2024-02-29`. */
export function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  if (day < 1 || day > (daysInMonth[month - 1] ?? 0)) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month !== 2 || day < 29 || leap;
}

const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The form in which nearly all are written, of days that every month has. */
const usualDateTime = /^[1-9]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** True for an instant, also where its letters are small. */
export function isDateTime(text: string): boolean {
  if (usualDateTime.test(text)) return true;
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const parts = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time);
  if (parts === null) return false;
  const [, hours = '', minutes = '', seconds = ''] = parts;
  return hours <= '23' && minutes <= '59' && seconds <= '59';
}

/** True for base64 with `+` and `/`. */
export function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text);
}

/** True for Go's form (`1h30m`) and for numbers followed by words (`3 days`). */
export const isTextDuration = (text: string): boolean => readDuration(text) !== undefined;

/** The first instant of a day, in UTC. */
export function dateValue(text: string): Timestamp {
  if (!isDate(text)) {
    const cause = `parsing time ${goQuote(text)} as "2006-01-02": cannot parse ${goQuote(text)} as "2006"`;
    return fail(`Invalid date formatted string ${text}: ${cause}`);
  }
  return new Timestamp(Date.parse(`${text}T00:00:00Z`) / 1000, 0);
}

/** The instant of a text, which is in UTC where it names no zone. */
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

/** The span of a text. */
export function durationValue(text: string): Duration {
  return readDuration(text) ?? fail(`Invalid duration ${text}: unable to parse ${text} as duration`);
}

/** The bytes of base64 with `-` and `_`: what the format allows beside them is no value of it. */
export function bytesValue(text: string): Uint8Array {
  const invalidAt = text.search(/[^A-Za-z0-9_=-]/);
  if (invalidAt >= 0) {
    return fail(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${invalidAt}`);
  }
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** The last spelling of each unit is a prefix that any word may start with. */
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

/** The words that follow a number, with spaces between them or not. */
function numberedWords(text: string): { number: string; word: string }[] {
  const parts = text.match(/\d+|[A-Za-zµ]+|\s+|[^\dA-Za-zµ\s]+/g) ?? [];
  return parts.flatMap((word, i) => {
    const number = /^\s/.test(parts[i - 1] ?? '') ? parts[i - 2] : parts[i - 1];
    return /^[A-Za-zµ]/.test(word) && number !== undefined && /^\d/.test(number) ? [{ number, word }] : [];
  });
}
