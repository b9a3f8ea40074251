import { getOwn, isObject, type JsonObject, type JsonValue, setOwn } from '@annex/machinery';
import { jsonFields, type MessageField } from './messages.ts';
import { isPlainMessage } from './values.ts';

/**
 * Returns an object with its members in the order of Go's encoder for that message: fields as declared, maps
 * sorted.
 */
export function inGoOrder(object: JsonObject, message: string): JsonObject {
  const fields = jsonFields(message);
  const ordered: JsonObject = {};
  const known = [...fields.keys()].filter((name) => Object.hasOwn(object, name));
  for (const name of new Set([...known, ...Object.keys(object)])) {
    const field = fields.get(name);
    const value = getOwn(object, name) as JsonValue;
    setOwn(ordered, name, field === undefined ? value : below(value, field));
  }
  return ordered;
}

function below(value: JsonValue, { type, map }: MessageField): JsonValue {
  const one = (item: JsonValue): JsonValue =>
    isObject(item) && type.includes('.') && isPlainMessage(type) ? inGoOrder(item, type) : item;
  if (Array.isArray(value)) return value.map(one);
  if (!map || !isObject(value)) return one(value);
  const sorted: JsonObject = {};
  for (const key of Object.keys(value).sort()) setOwn(sorted, key, one(value[key] as JsonValue));
  return sorted;
}
