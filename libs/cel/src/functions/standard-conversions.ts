import { parseGoBoolean } from '@annex/machinery';
import { fail } from '../errors.ts';
import { declare, overload } from '../typing/declare.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import { type CelType, typeOfType, typeParam, types } from '../typing/type.ts';
import { formatDouble } from '../values/format.ts';
import { type Integer, narrow, parseInteger, toInt, toUint } from '../values/int.ts';
import { runtimeType } from '../values/kind.ts';
import { type Duration, parseDuration, parseTimestamp, Timestamp } from '../values/time.ts';
import { type Double, double, doubleNumber, TypeValue, Uint, type Value } from '../values/value.ts';

const { bool, bytes, double: doubleType, duration, dyn, int, string, timestamp, uint } = types;
const a = typeParam('A');
type Float = number | Double;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const same = (value: Value) => value;
const convert = (id: string, from: CelType, to: CelType, call: Overload['call']) =>
  overload(id, [from], to, call);

function cannot(from: CelType, to: CelType): never {
  return fail(`type conversion error from '${from.name}' to '${to.name}'`);
}

/** https://github.com/google/cel-spec/blob/master/doc/langdef.md#type-conversion-functions */
export const standardConversions: readonly FunctionDeclaration[] = [
  declare(
    'type',
    overload('type', [a], typeOfType(a), (value: Value) => new TypeValue(runtimeType(value))),
  ),
  declare('dyn', overload('to_dyn', [a], dyn, same)),
  declare('bool', convert('bool_to_bool', bool, bool, same), convert('string_to_bool', string, bool, boolOf)),
  declare(
    'bytes',
    convert('bytes_to_bytes', bytes, bytes, same),
    convert('string_to_bytes', string, bytes, (text: string) => encoder.encode(text)),
  ),
  declare(
    'double',
    convert('double_to_double', doubleType, doubleType, same),
    convert('int64_to_double', int, doubleType, (value: Integer) => double(Number(value))),
    convert('string_to_double', string, doubleType, doubleOf),
    convert('uint64_to_double', uint, doubleType, (value: Uint) => double(Number(value.value))),
  ),
  declare(
    'duration',
    convert('duration_to_duration', duration, duration, same),
    convert('int64_to_duration', int, duration, () => cannot(int, duration)),
    convert(
      'string_to_duration',
      string,
      duration,
      (text: string) => parseDuration(text) ?? cannot(string, duration),
    ),
  ),
  declare(
    'int',
    convert('int64_to_int64', int, int, same),
    convert('double_to_int64', doubleType, int, intOfDouble),
    convert('duration_to_int64', duration, int, (value: Duration) => narrow(value.nanos)),
    convert('string_to_int64', string, int, (text: string) =>
      narrow(parseInteger(text, true) ?? cannot(string, int)),
    ),
    convert('timestamp_to_int64', timestamp, int, (value: Timestamp) => value.seconds),
    convert('uint64_to_int64', uint, int, ({ value }: Uint) =>
      typeof value === 'number' ? value : toInt(value),
    ),
  ),
  declare(
    'string',
    convert('string_to_string', string, string, same),
    convert('bool_to_string', bool, string, String),
    convert('bytes_to_string', bytes, string, textOfBytes),
    convert('double_to_string', doubleType, string, (value: Float) => formatDouble(doubleNumber(value))),
    convert('duration_to_string', duration, string, String),
    convert('int64_to_string', int, string, String),
    convert('timestamp_to_string', timestamp, string, String),
    convert('uint64_to_string', uint, string, (value: Uint) => String(value.value)),
  ),
  declare(
    'timestamp',
    convert('timestamp_to_timestamp', timestamp, timestamp, same),
    convert('int64_to_timestamp', int, timestamp, (seconds: Integer) =>
      Timestamp.checked(Number(seconds), 0),
    ),
    convert(
      'string_to_timestamp',
      string,
      timestamp,
      (text: string) => parseTimestamp(text) ?? cannot(string, timestamp),
    ),
  ),
  declare(
    'uint',
    convert('uint64_to_uint64', uint, uint, same),
    convert('double_to_uint64', doubleType, uint, uintOfDouble),
    convert('int64_to_uint64', int, uint, (value: Integer) => toUint(BigInt(value))),
    convert('string_to_uint64', string, uint, uintOfString),
  ),
];

function boolOf(text: string): boolean {
  return parseGoBoolean(text) ?? cannot(string, bool);
}

function doubleOf(text: string): Value {
  const special = /^([+-]?)(?:(inf(?:inity)?)|nan)$/i.exec(text);
  if (special) return special[2] ? (special[1] === '-' ? -Infinity : Infinity) : NaN;
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return cannot(string, doubleType);
  const value = Number(text);
  return Number.isFinite(value) ? double(value) : cannot(string, doubleType);
}

function intOfDouble(value: Float): Integer {
  const number = doubleNumber(value);
  if (!(number > -(2 ** 63) && number < 2 ** 63)) return fail('integer overflow');
  return narrow(BigInt(Math.trunc(number)));
}

function uintOfDouble(value: Float): Uint {
  const number = doubleNumber(value);
  if (!(number >= 0 && number < 2 ** 64)) return fail('unsigned integer overflow');
  return new Uint(narrow(BigInt(Math.trunc(number))));
}

function uintOfString(text: string): Uint {
  return new Uint(narrow(parseInteger(text, false) ?? cannot(string, uint)));
}

function textOfBytes(value: Uint8Array): string {
  try {
    return decoder.decode(value);
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string');
  }
}
