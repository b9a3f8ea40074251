import type { JsonObject, JsonValue } from './json-object.ts';

/** Fields that were empty lists or maps when their object was read, by the object. */
const emptyFields = new WeakMap<JsonObject, Map<string, JsonValue>>();

/**
 * Notes that a field was an empty list or map. Go does not write it, or writes null, but it is not absent: defaults, errors
 * and field ownership treat it as present until the object is stored.
 */
export function noteEmptyField(object: JsonObject, name: string, value: JsonValue): void {
  const known = emptyFields.get(object);
  if (known === undefined) emptyFields.set(object, new Map([[name, value]]));
  else known.set(name, value);
}

/** Notes the empty fields of an object for a copy of it; returns the copy. */
export function keepEmptyFields<T extends JsonObject>(copy: T, object: JsonObject): T {
  const known = emptyFields.get(object);
  if (known !== undefined) emptyFields.set(copy, new Map(known));
  return copy;
}

/** Returns the empty list or map that a field had when its object was read. */
export const emptyFieldOf = (object: JsonObject, name: string): JsonValue | undefined =>
  emptyFields.get(object)?.get(name);

/** Forgets that a field was empty: it has another value now. */
export const forgetEmptyField = (object: JsonObject, name: string): void =>
  void emptyFields.get(object)?.delete(name);
