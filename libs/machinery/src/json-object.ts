/** A JSON value in memory. Integers beyond 2^53 are `bigint`, every other number is `number`. */
export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | JsonObject;

/**
 * A JSON object. `__proto__` and similar names are ordinary keys: write with {@link setOwn}, test with
 * `Object.hasOwn`.
 */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** Sets an own property of any name, `__proto__` included. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    // permitted: no-inherited-keys, all other names are safe to assign
    (target as Record<string, unknown>)[key] = value;
  }
}

/**
 * Sets every member of `source` as an own property. `Object.assign` would treat `__proto__` as the prototype.
 */
export function setAllOwn(target: object, source: object): void {
  for (const [key, value] of Object.entries(source)) setOwn(target, key, value);
}

/** Returns the own property of that name, or `undefined`; never an inherited one. */
export function getOwn<V>(target: Readonly<Record<string, V>> | undefined, key: string): V | undefined;
export function getOwn(target: object | undefined, key: string): unknown;
export function getOwn(target: object | undefined, key: string): unknown {
  if (target === undefined || !Object.hasOwn(target, key)) return undefined;
  return (target as Record<string, unknown>)[key];
}

/** True for JSON objects: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
