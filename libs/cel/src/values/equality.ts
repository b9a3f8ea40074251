import { elementAt, isList, isMap, isPlainMap, mapFind, mapKeys, mapSize } from './container.ts';
import { Double, Instance, type ListValue, Uint, type Value } from './value.ts';
import { compareNumbers } from './value.ts';

/** Returns `a == b`. */
export function equals(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || a === null) {
    if (typeof a === 'string' || typeof a === 'boolean' || a === null) return false;
    return typeof b === 'number' || typeof b === 'bigint' || b instanceof Double || b instanceof Uint
      ? compareNumbers(a, b) === 0
      : false;
  }
  return equalObjects(a, b);
}

function equalObjects(a: Exclude<Value, null | boolean | number | bigint | string>, b: Value): boolean {
  if (a instanceof Instance) return a.equals(b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && equalBytes(a, b);
  if (isList(a)) return isList(b) && equalLists(a, b);
  return isPlainMap(a) && isMap(b) && equalMaps(a, b);
}

/** Returns true if two lists have equal elements in the same order. */
export function equalLists(a: readonly Value[] | ListValue, b: readonly Value[] | ListValue): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!equals(elementAt(a, i), elementAt(b, i))) return false;
  return true;
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Returns true if two maps have equal values for the same keys. */
export function equalMaps(a: Value, b: Value): boolean {
  if (mapSize(a) !== mapSize(b)) return false;
  for (const key of mapKeys(a)) {
    const right = mapFind(b, key);
    if (right === undefined || !equals(mapFind(a, key)!, right)) return false;
  }
  return true;
}
