import { type JsonObject, type JsonValue, isObject, setOwn } from '@annex/machinery';

/** Copies a value with the keys of every object sorted, as Go encodes maps; returns scalars unchanged. */
export function sortedJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  const names = Object.keys(value);
  // Objects that were read from the store are sorted already.
  if (!areSorted(names)) names.sort();
  // permitted: no-inherited-keys, these are its own names
  for (const name of names) setOwn(result, name, sortedJson(value[name] as JsonValue));
  return result;
}

/** Returns whether the keys of every object in a value are sorted. */
export function isSortedJson(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(isSortedJson);
  if (!isObject(value)) return true;
  return areSorted(Object.keys(value)) && Object.values(value).every(isSortedJson);
}

function areSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return false;
  return true;
}
