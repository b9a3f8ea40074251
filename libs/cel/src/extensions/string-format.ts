import { fail, Failure } from '../errors.ts';
import { elementAt, elements, isList, isMap, mapFind, mapKeys } from '../values/container.ts';
import { formatDouble, quotePrintable } from '../values/format.ts';
import { runtimeType } from '../values/kind.ts';
import { Duration, Timestamp } from '../values/time.ts';
import {
  Double,
  doubleNumber,
  isDouble,
  type ListValue,
  TypeValue,
  Uint,
  type Value,
} from '../values/value.ts';
import { fixed, grouped, scientific } from './decimals.ts';
import { type Clause, parseFormat } from './format-clauses.ts';

type List = readonly Value[] | ListValue;

/** The text with its clauses (`%s`, `%.2f`, ...) replaced by the arguments. */
export function formatText(format: string, args: List): string {
  let index = 0;
  return parseFormat(format, (clause) => {
    const at = index++;
    if (at >= args.length) return fail(`index ${at} out of range`);
    if (clause === undefined) return '';
    return during(() => formatClause(clause, elementAt(args, at)));
  });
}

function during(format: () => string): string {
  try {
    return format();
  } catch (error) {
    if (error instanceof Failure) return fail(`error during formatting: ${error.message}`);
    throw error;
  }
}

/** What each clause takes; anything else is an error that says so. */
export const expectations = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  o: 'octal clause can only be used on integers',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  X: 'only integers, byte buffers, and strings can be formatted as hex',
} as const;

function formatClause({ verb, precision }: Clause, value: Value): string {
  const wrong = () => fail(`${expectations[verb]}, was given ${runtimeType(value).name}`);
  const integer = integerOf(value);
  switch (verb) {
    case 's':
      return formatString(value) ?? wrong();
    case 'd':
      return integer?.toString() ?? wrong();
    case 'f':
      return grouped(floatOf(value) ?? wrong(), precision ?? 6);
    case 'e':
      return scientific(floatOf(value) ?? wrong(), precision ?? 6);
    case 'b':
      return typeof value === 'boolean' ? (value ? '1' : '0') : (integer?.toString(2) ?? wrong());
    case 'o':
      return integer?.toString(8) ?? wrong();
    case 'x':
      return hexOf(value, integer) ?? wrong();
    case 'X':
      return (hexOf(value, integer) ?? wrong()).toUpperCase();
  }
}

function integerOf(value: Value): number | bigint | undefined {
  if (value instanceof Uint) return value.value;
  return typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
    ? value
    : undefined;
}

const specialNumbers = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

function floatOf(value: Value): number | undefined {
  if (typeof value === 'string') return specialNumbers.get(value);
  return isDouble(value) ? doubleNumber(value) : undefined;
}

function hexOf(value: Value, integer: number | bigint | undefined): string | undefined {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  if (bytes instanceof Uint8Array)
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return integer?.toString(16);
}

/** `%s`; undefined when it takes no such values. */
function formatString(value: Value): string | undefined {
  if (value === null) return 'null';
  if (isList(value)) return formatList(value);
  if (isMap(value)) return formatMap(value);
  if (value instanceof Uint8Array) return textOf(value);
  if (isDouble(value)) return formatDouble(doubleNumber(value));
  if (value instanceof Uint) return String(value.value);
  if (value instanceof TypeValue) return value.of.name;
  const plain = value instanceof Timestamp || value instanceof Duration || typeof value !== 'object';
  return plain ? String(value) : undefined;
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const reason = 'invalid UTF-8 in bytes, cannot convert to string';
    return fail(`could not convert argument "${reason}" to string`);
  }
}

function formatList(list: List): string {
  return `[${elements(list).map(formatMember).join(', ')}]`;
}

function formatMap(map: Value): string {
  const entries = Array.from(
    mapKeys(map),
    (key) => [formatKey(key), formatMember(mapFind(map, key)!)] as const,
  );
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`;
}

function formatKey(key: Value): string {
  if (typeof key === 'string' || typeof key === 'boolean' || integerOf(key) !== undefined)
    return formatMember(key);
  return fail(`no formatting function for map key of type ${runtimeType(key).name}`);
}

/** A value in a list or map, as a literal would have it. */
function formatMember(value: Value): string {
  if (typeof value === 'string') return quotePrintable(value);
  if (value instanceof Uint8Array) return `b${quotePrintable(textOf(value))}`;
  if (value instanceof Timestamp) return `timestamp(${quotePrintable(String(value))})`;
  if (value instanceof Duration) return `duration(${quotePrintable(String(value))})`;
  if (isDouble(value) || value instanceof Double) return fixedMember(doubleNumber(value));
  return formatString(value) ?? fail(`no formatting function for ${runtimeType(value).name}`);
}

function fixedMember(value: number): string {
  if (Number.isFinite(value)) return fixed(value, 6);
  return Number.isNaN(value) ? '"NaN"' : value > 0 ? '"+Inf"' : '"-Inf"';
}
