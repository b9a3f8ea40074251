import { equals } from './equality.ts';
import { numeric, type Value } from './value.ts';

/** Distinct values. Texts, numbers and booleans are found by a hash, so that a large set is not compared in pairs. */
export class ValueSet {
  readonly #hashed = new Set<string | number | boolean>();
  readonly #others: Value[] = [];

  constructor(values: Iterable<Value> = []) {
    for (const value of values) this.add(value);
  }

  /** Returns whether the set has an equal value. */
  has(value: Value): boolean {
    const key = keyOf(value);
    return key === undefined ? this.#others.some((other) => equals(other, value)) : this.#hashed.has(key);
  }

  /** Adds a value; returns false if the set has an equal one. */
  add(value: Value): boolean {
    if (this.has(value)) return false;
    const key = keyOf(value);
    if (key === undefined) this.#others.push(value);
    else this.#hashed.add(key);
    return true;
  }
}

/**
 * Returns a key that is the same for equal values. Integers beyond the safe ones have none: two of them can be equal to the same
 * double. NaN is not equal to itself.
 */
function keyOf(value: Value): string | number | boolean | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  const number = numeric(value);
  return number !== undefined && Math.abs(Number(number)) <= Number.MAX_SAFE_INTEGER
    ? Number(number)
    : undefined;
}
