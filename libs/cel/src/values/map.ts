import { type CelType, mapType, types } from '../typing/type.ts';
import { equals } from './equality.ts';
import { isMap, mapFind, mapKeys, mapSize } from './container.ts';
import { Double, MapValue, Uint, type Value } from './value.ts';

const type = mapType(types.dyn, types.dyn);

/** What entries are found by: numbers of all types that are equal are the same key. */
type Key = string | number | bigint | boolean | undefined;

/** A map whose entries are known. */
export class EntryMap extends MapValue {
  readonly #entries = new Map<Key, readonly [Value, Value]>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    for (const [key, value] of entries) this.insert(key, value);
  }

  /** Adds an entry while the map is made: nobody else sees it yet. */
  insert(key: Value, value: Value): this {
    this.#entries.set(keyOf(key), [key, value]);
    return this;
  }

  /** Removes an entry while the map is made. */
  remove(key: Value): void {
    this.#entries.delete(keyOf(key));
  }

  override get type(): CelType {
    return type;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: Value): Value | undefined {
    return this.#entries.get(keyOf(key))?.[1];
  }

  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }

  equals(other: Value): boolean {
    return isMap(other) && equalMaps(this, other);
  }
}

/** Whether two maps have equal values for the same keys. */
export function equalMaps(a: Value, b: Value): boolean {
  if (mapSize(a) !== mapSize(b)) return false;
  for (const key of mapKeys(a)) {
    const right = mapFind(b, key);
    if (right === undefined || !equals(mapFind(a, key)!, right)) return false;
  }
  return true;
}

/** Whether values of the type can be keys of map literals. */
export function isKey(value: Value): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    typeof value === 'bigint' ||
    value instanceof Uint ||
    (typeof value === 'number' && Number.isSafeInteger(value))
  );
}

function keyOf(value: Value): Key {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (typeof value === 'number')
    return Number.isSafeInteger(value) || !Number.isInteger(value) ? value : BigInt(value);
  if (value instanceof Double || value instanceof Uint) return value.value;
  return undefined;
}
