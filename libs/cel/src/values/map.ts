import { type CelType, mapType, types } from '../typing/type.ts';
import { equalMaps } from './equality.ts';
import { isMap } from './container.ts';
import { Double, MapValue, Uint, type Value } from './value.ts';

const type = mapType(types.dyn, types.dyn);

/** The lookup key of an entry: equal numbers of different types are the same key. */
type Key = string | number | bigint | boolean | undefined;

/** A map with stored entries. */
export class EntryMap extends MapValue {
  readonly #entries = new Map<Key, readonly [Value, Value]>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    for (const [key, value] of entries) this.insert(key, value);
  }

  /** Adds an entry during construction, before the map is shared. */
  insert(key: Value, value: Value): this {
    this.#entries.set(keyOf(key), [key, value]);
    return this;
  }

  /** Removes an entry during construction. */
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

/** Returns true if the value is of a type that map literals accept as keys. */
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
