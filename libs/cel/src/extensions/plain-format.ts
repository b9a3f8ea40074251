import { fail } from '../errors.ts';
import { elements, isList, isMap, mapFind, mapKeys } from '../values/container.ts';
import { runtimeType } from '../values/kind.ts';
import { Duration, plainNumber, Timestamp } from '../values/time.ts';
import { doubleNumber, isDouble, TypeValue, type Value } from '../values/value.ts';
import { fixed } from './decimals.ts';
import type { Clause } from './format-clauses.ts';
import { expectation, type Formatter, hexOf, integerOf, textualKinds } from './formatter.ts';

const strings =
  'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps';
const hexadecimal = expectation(
  'only ints, uints, bytes, and strings can be formatted as hex',
  'int uint string bytes',
);

/** Formats numbers without separators, and strings in lists without quotation marks: since version 4 of the library. */
export const plainFormatter: Formatter = {
  expectations: {
    s: expectation(strings, textualKinds),
    d: expectation('decimal clause can only be used on ints, uints, and doubles', 'int uint double'),
    f: expectation('fixed-point clause can only be used on ints, uints, and doubles', 'int uint double'),
    e: expectation('scientific clause can only be used on ints, uints, and doubles', 'int uint double'),
    b: expectation('only ints, uints, and bools can be formatted as binary', 'int uint bool'),
    o: expectation('octal clause can only be used on ints and uints', 'int uint'),
    x: hexadecimal,
    X: hexadecimal,
  },
  format({ verb, precision = 6 }: Clause, value: Value): string | undefined {
    const number = isDouble(value) ? doubleNumber(value) : integerOf(value);
    switch (verb) {
      case 's':
        return textOf(value);
      case 'd':
        return number === undefined ? undefined : decimal(number);
      case 'f':
        return number === undefined ? undefined : (special(number) ?? fixed(Number(number), precision));
      case 'e':
        return number === undefined ? undefined : (special(number) ?? scientific(Number(number), precision));
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

function special(value: number | bigint): string | undefined {
  return typeof value === 'bigint' || Number.isFinite(value) ? undefined : String(value);
}

function decimal(value: number | bigint): string {
  return typeof value === 'bigint' ? String(value) : (special(value) ?? plainNumber(value));
}

function scientific(value: number, precision: number): string {
  const [mantissa, exponent] = value.toExponential(Math.min(precision, 100)).split('e') as [string, string];
  return `${mantissa}e${exponent[0]}${exponent.slice(1).padStart(2, '0')}`;
}

function textOf(value: Value): string | undefined {
  if (value === null) return 'null';
  if (isList(value)) return `[${elements(value).map(memberOf).join(', ')}]`;
  if (isMap(value)) return mapOf(value);
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  const number = isDouble(value) ? doubleNumber(value) : integerOf(value);
  if (number !== undefined) return decimal(number);
  if (value instanceof TypeValue) return value.of.name;
  const plain = value instanceof Timestamp || value instanceof Duration || typeof value !== 'object';
  return plain ? String(value) : undefined;
}

function memberOf(value: Value): string {
  return textOf(value) ?? fail(`${strings}, was given ${runtimeType(value).name}`);
}

function mapOf(map: Value): string {
  const entries = Array.from(mapKeys(map), (key) => [memberOf(key), memberOf(mapFind(map, key)!)] as const);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, value]) => `${key}: ${value}`).join(', ')}}`;
}
