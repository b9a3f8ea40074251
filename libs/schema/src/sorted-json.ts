import {
  deepCopyInPasses,
  everyContainer,
  type JsonObject,
  type JsonValue,
  isObject,
  namesInPasses,
  type Passes,
  setOwn,
  sortInPasses,
} from '@annex/machinery';

/** Copies a value with the keys of every object sorted, as Go encodes maps, and without members that JSON leaves out. Returns scalars unchanged. */
export function sortedJson(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedJson);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const name of sortedNames(value)) {
    // permitted: no-inherited-keys, it is one of its own names
    const member = value[name];
    if (member !== undefined) setOwn(result, name, sortedJson(member));
  }
  return result;
}

/** The same for a large value, in passes. */
export const sortedJsonInPasses = (value: JsonValue): Passes<JsonValue> =>
  deepCopyInPasses(value, sortedNamesInPasses);

function* sortedNamesInPasses(value: object): Passes<string[]> {
  const names = yield* namesInPasses(value);
  return areSorted(names) ? names : yield* sortInPasses(names, byCodeUnits);
}

/** Orders strings as `sort` does without a function. Names of an object differ. */
const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : 1);

function sortedNames(value: object): string[] {
  const names = Object.keys(value);
  // Objects that were read from the store are sorted already.
  return areSorted(names) ? names : names.sort();
}

/** Returns whether the keys of every object in a value are sorted. */
export function isSortedJson(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.every(isSortedJson);
  if (!isObject(value)) return true;
  return areSorted(Object.keys(value)) && Object.values(value).every(isSortedJson);
}

/** The same for a large value, in passes. */
export const isSortedJsonInPasses = (value: JsonValue): Passes<boolean> =>
  everyContainer(value, (names) => names === undefined || areSorted(names));

function areSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return false;
  return true;
}
