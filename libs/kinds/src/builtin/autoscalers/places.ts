import { getOwn, isObject, type JsonObject, type JsonValue } from '@annex/machinery';

/** Returns the object in a field; an empty one if there is none. */
export function objectAt(value: JsonValue | undefined, name: string): JsonObject {
  const child = isObject(value) ? getOwn(value, name) : undefined;
  return isObject(child) ? child : {};
}

/** Returns the value at a path of fields, separated by dots; undefined if it is absent or null. */
export function valueAt(object: JsonObject, path: string): JsonValue | undefined {
  const at = path
    .split('.')
    .reduce<JsonValue | undefined>((at, name) => (isObject(at) ? getOwn(at, name) : undefined), object);
  return at ?? undefined;
}
