import { fail } from '../errors.ts';
import { elementAt, isList, isPlainMap, mapFind, type PlainMap } from '../values/container.ts';
import { formatValue } from '../values/format.ts';
import { runtimeType } from '../values/kind.ts';
import { Optional } from '../values/optional.ts';
import {
  Instance,
  isDouble,
  ListValue,
  MapValue,
  numeric,
  StructValue,
  type Value,
} from '../values/value.ts';
import type { Code, Frame } from './frame.ts';

/** Returns the value of a field, a key or an index; fails if it is absent. Access through an optional returns an optional. */
export function access(value: Value, key: Value, frame: Frame, strict: boolean): Value {
  if (value instanceof Optional) return accessOptional(value, key, frame, strict);
  frame.cost++;
  return accessKnown(value, key);
}

/** Like `accessOptional`, with a key that is evaluated after the value. */
export function accessOptionalAt(value: Value, key: Code, frame: Frame, strict: boolean): Optional {
  if (value instanceof Optional && !value.present) return value;
  return accessOptional(value, checkedKey(key(frame)), frame, strict);
}

function accessKnown(value: Value, key: Value): Value {
  const found = find(value, key);
  if (found !== undefined) return found;
  return fail(`${isList(value) ? 'index out of bounds' : 'no such key'}: ${formatValue(key)}`);
}

/** Returns the value of a field, a key or an index as an optional; an absent one costs nothing. `strict` as for `isPresent`. */
export function accessOptional(value: Value, key: Value, frame: Frame, strict: boolean): Optional {
  const target = value instanceof Optional ? value.or(Optional.none) : value;
  if (target instanceof Optional) return target;
  const found = find(target, key);
  if (found === undefined && strict && !hasKeys(target)) return fail(`no such key: ${formatValue(key)}`);
  if (found === undefined) return Optional.none;
  frame.cost++;
  return Optional.of(found);
}

/** Like `access`, with a key that is evaluated after the value, and not evaluated if the value is absent. */
export function accessAt(value: Value, key: Code, frame: Frame, strict: boolean): Value {
  if (value instanceof Optional)
    return value.present ? accessOptional(value, checkedKey(key(frame)), frame, strict) : value;
  frame.cost++;
  return accessKnown(value, checkedKey(key(frame)));
}

/** Returns `has(value.field)`; with `strict`, fails for values without fields. */
export function isPresent(value: Value, field: string, frame: Frame, strict: boolean): boolean {
  if (value instanceof Optional) {
    const present = value.present && isPresentIn(value.value, field, strict);
    if (present) frame.cost++;
    return present;
  }
  frame.cost++;
  return isPresentIn(value, field, strict);
}

function isPresentIn(value: Value, field: string, strict: boolean): boolean {
  if (value instanceof StructValue) return value.has(field);
  if (value instanceof MapValue || isPlainMap(value)) return mapFind(value, field) !== undefined;
  return strict ? fail(`no such key: ${field}`) : false;
}

function hasKeys(value: Value): boolean {
  return value instanceof StructValue || value instanceof MapValue || isPlainMap(value) || isList(value);
}

function find(value: Value, key: Value): Value | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return elementOf(value, key);
  if (!(value instanceof Instance)) return fieldOf(value, key);
  if (value instanceof StructValue) return typeof key === 'string' ? value.get(key) : undefined;
  if (value instanceof MapValue) return value.find(key);
  return value instanceof ListValue ? elementOf(value, key) : undefined;
}

function fieldOf(value: object, key: Value): Value | undefined {
  if (typeof key !== 'string' || value instanceof Uint8Array || !Object.hasOwn(value, key)) return undefined;
  return (value as PlainMap)[key];
}

function elementOf(list: readonly Value[] | ListValue, key: Value): Value | undefined {
  const index = typeof key === 'number' && Number.isSafeInteger(key) ? key : indexOf(key);
  return index >= 0 && index < list.length ? elementAt(list, index) : undefined;
}

/** Converts a number of any numeric type to an index. */
function indexOf(key: Value): number {
  const number = numeric(key);
  if (number === undefined) return fail(`unsupported index type '${runtimeType(key).name}' in list`);
  if (isDouble(key) && !Number.isInteger(Number(number)))
    return fail(`unsupported index value ${formatValue(key)} in list`);
  return Number(number);
}

/** The names that error messages use for types that are not valid keys. */
const unsupportedKeys = new Map([
  ['bytes', 'types.Bytes'],
  ['google.protobuf.Duration', 'types.Duration'],
  ['google.protobuf.Timestamp', 'types.Timestamp'],
  ['list', '*types.baseList'],
  ['map', '*types.baseMap'],
  ['null_type', 'types.Null'],
  ['optional_type', '*types.Optional'],
  ['type', '*types.Type'],
]);

/** Returns true if the value is of a type that can be a key. */
export function isLookupKey(key: Value): boolean {
  return !unsupportedKeys.has(runtimeType(key).name);
}

/** Returns the key; fails if its type cannot be a key. */
export function checkedKey(key: Value): Value {
  if (typeof key === 'string' || typeof key === 'number') return key;
  const unsupported = unsupportedKeys.get(runtimeType(key).name);
  return unsupported === undefined ? key : fail(`invalid qualifier type: ${unsupported}`);
}
