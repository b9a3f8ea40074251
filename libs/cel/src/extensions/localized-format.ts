import { fail } from '../errors.ts';
import { elements, isList, isMap, mapFind, mapKeys } from '../values/container.ts';
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
import type { Clause } from './format-clauses.ts';
import { expectation, type Formatter, hexOf, integerOf, textualKinds } from './formatter.ts';

const hexadecimal = expectation(
  'only integers, byte buffers, and strings can be formatted as hex',
  'int uint string bytes',
);

/** Formats numbers as in American English, and strings in lists as literals: up to version 3 of the library. */
export const localizedFormatter: Formatter = {
  expectations: {
    s: expectation(
      'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
      textualKinds,
    ),
    d: expectation('decimal clause can only be used on integers', 'int uint'),
    f: expectation('fixed-point clause can only be used on doubles', 'double string'),
    e: expectation('scientific clause can only be used on doubles', 'double string'),
    b: expectation('only integers and bools can be formatted as binary', 'int uint bool'),
    o: expectation('octal clause can only be used on integers', 'int uint'),
    x: hexadecimal,
    X: hexadecimal,
  },
  format({ verb, precision = 6 }: Clause, value: Value): string | undefined {
    const float = floatOf(value);
    switch (verb) {
      case 's':
        return formatString(value);
      case 'd':
        return integerOf(value)?.toString();
      case 'f':
        return float === undefined ? undefined : grouped(float, precision);
      case 'e':
        return float === undefined ? undefined : scientific(float, precision);
      case 'b':
        return typeof value === 'boolean' ? (value ? '1' : '0') : integerOf(value)?.toString(2);
      case 'o':
        return integerOf(value)?.toString(8);
      case 'x':
        return hexOf(value);
      case 'X':
        return hexOf(value)?.toUpperCase();
    }
  },
};

const specialNumbers = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);

function floatOf(value: Value): number | undefined {
  if (typeof value === 'string') return specialNumbers.get(value);
  return isDouble(value) ? doubleNumber(value) : undefined;
}

/** Formats for `%s`; undefined if the clause does not accept the value. */
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

function formatList(list: readonly Value[] | ListValue): string {
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

/** Formats a value in a list or map, as in a literal. */
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
