import { fail } from '../errors.ts';
import { elementAt, isList, isMap, mapFind } from '../values/container.ts';
import { Optional } from '../values/optional.ts';
import { numeric, StructValue, type Value } from '../values/value.ts';

/** The value of a field, of a key or at an index; an error when there is none. */
export function access(value: Value, key: Value): Value {
  if (value instanceof Optional) return value.present ? accessOptional(value.value, key) : value;
  const found = find(value, key);
  if (found !== undefined) return found;
  return fail(`${isList(value) ? 'index out of bounds' : 'no such key'}: ${String(numeric(key) ?? key)}`);
}

/** The same as an optional value, absent when there is none. */
export function accessOptional(value: Value, key: Value): Optional {
  const target = value instanceof Optional ? value.or(Optional.none) : value;
  if (target instanceof Optional) return target;
  const found = find(target, key);
  return found === undefined ? Optional.none : Optional.of(found);
}

/** What `has(value.field)` is. */
export function isPresent(value: Value, field: string): boolean {
  if (value instanceof Optional) return value.present && isPresent(value.value, field);
  if (value instanceof StructValue) return value.has(field);
  if (!isMap(value)) return fail(`no such key: ${field}`);
  return mapFind(value, field) !== undefined;
}

function find(value: Value, key: Value): Value | undefined {
  if (isMap(value)) return mapFind(value, key);
  if (value instanceof StructValue) return typeof key === 'string' ? value.get(key) : undefined;
  if (!isList(value)) return undefined;
  const index = Number(numeric(key) ?? NaN);
  if (!Number.isInteger(index)) return fail(`unsupported index type in list: ${String(numeric(key) ?? key)}`);
  return index >= 0 && index < value.length ? elementAt(value, index) : undefined;
}
