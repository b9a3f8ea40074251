import type { JsonObject, JsonValue } from '@annex/machinery';
import { setOwn } from '@annex/machinery';
import { fail } from '../errors.ts';
import { elements, isList, isMap, mapFind, mapKeys } from './container.ts';
import { Duration, Timestamp } from './time.ts';
import { Double, Uint, type Value } from './value.ts';

/** Returns the fields of a value of another type, which is written as an object. */
export type FieldsOf = (value: Value) => ReadonlyMap<string, Value> | undefined;

/** Converts a value to JSON: bytes as base64, times and durations as text. Fails for other types. */
export function toJson(value: Value, fieldsOf: FieldsOf = () => undefined): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Double || value instanceof Uint) return value.value;
  if (value instanceof Timestamp || value instanceof Duration) return value.toString();
  if (value instanceof Uint8Array) return base64(value);
  const fields = fieldsOf(value);
  if (fields !== undefined) return object([...fields], fieldsOf);
  if (isList(value)) return elements(value).map((element) => toJson(element, fieldsOf));
  if (!isMap(value)) return fail('unsupported type for JSON');
  return object(
    Array.from(mapKeys(value), (key) => [
      typeof key === 'string' ? key : fail(`map key ${String(key)} is not a string`),
      mapFind(value, key) ?? null,
    ]),
    fieldsOf,
  );
}

function object(entries: readonly (readonly [string, Value])[], fieldsOf: FieldsOf): JsonObject {
  const json: JsonObject = {};
  for (const [name, value] of entries) setOwn(json, name, toJson(value, fieldsOf));
  return json;
}

/** `Buffer` is missing in browsers. */
const base64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
