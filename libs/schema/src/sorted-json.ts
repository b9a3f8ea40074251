import { type JsonObject, type JsonValue, isObject, setOwn } from '@annex/machinery';

/** A copy with the keys of every object in order, as Go encodes maps; scalars are themselves. */
export function sortedJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const name of Object.keys(value).sort()) setOwn(result, name, sortedJson(value[name] as JsonValue));
  return result;
}
