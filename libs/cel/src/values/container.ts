import { fail } from '../errors.ts';
import { Instance, ListValue, MapValue, type Value } from './value.ts';

/** A map whose keys are strings. */
export type PlainMap = { readonly [key: string]: Value };

export function isList(value: Value): value is readonly Value[] | ListValue {
  return Array.isArray(value) || value instanceof ListValue;
}

export function isMap(value: Value): value is MapValue | PlainMap {
  return isPlainMap(value) || value instanceof MapValue;
}

export function isPlainMap(value: Value): value is PlainMap {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Instance) &&
    !(value instanceof Uint8Array)
  );
}

/** Returns a list element; the index must be in range. */
export function elementAt(list: readonly Value[] | ListValue, index: number): Value {
  return list instanceof ListValue ? list.at(index) : list[index]!;
}

/** Returns all elements as an array. */
export function elements(list: readonly Value[] | ListValue): readonly Value[] {
  if (!(list instanceof ListValue)) return list;
  const values: Value[] = [];
  for (let i = 0; i < list.length; i++) values.push(list.at(i));
  return values;
}

export function mapSize(map: Value): number {
  return map instanceof MapValue ? map.size : Object.keys(map as PlainMap).length;
}

export function mapKeys(map: Value): Iterable<Value> {
  return map instanceof MapValue ? map.keys() : Object.keys(map as PlainMap);
}

/** Returns the value of a key, undefined if it is absent. */
export function mapFind(map: Value, key: Value): Value | undefined {
  if (map instanceof MapValue) return map.find(key);
  if (typeof key !== 'string' || !Object.hasOwn(map as PlainMap, key)) return undefined;
  return (map as PlainMap)[key];
}

export function mapHas(map: Value, key: Value): boolean {
  return map instanceof MapValue ? map.has(key) : mapFind(map, key) !== undefined;
}

/** Returns the values that a comprehension iterates: the elements of a list or the keys of a map. */
export function iterate(range: Value): readonly Value[] {
  if (isList(range)) return elements(range);
  if (isMap(range)) return [...mapKeys(range)];
  return fail('no such overload');
}

/** Returns the `size()` of a string: its number of code points. */
export function codePointCount(text: string): number {
  if (text.length > searchedLength && !/[\ud800-\udbff]/.test(text)) return text.length;
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) !== 0xd800 || (text.charCodeAt(i + 1) & 0xfc00) !== 0xdc00) continue;
    count--;
    i++;
  }
  return count;
}

/** A search for surrogates is faster than a loop in longer texts; V8 does not even look at a text of Latin-1. */
const searchedLength = 16;
