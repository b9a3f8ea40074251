import { type JsonObject, type JsonValue, isObject, setOwn } from '@annex/machinery';

/** Copies a value with the keys of every object sorted, as Go encodes maps; returns scalars unchanged. */
export function sortedJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const name of Object.keys(value).sort()) setOwn(result, name, sortedJson(value[name] as JsonValue));
  return result;
}
