import type { CelType } from '../typing/type.ts';
import { types } from '../typing/type.ts';

/**
 * The JavaScript representation of a value of the language:
 *
 * | type        | representation                                                                                       |
 * | ----------- | ---------------------------------------------------------------------------------------------------- |
 * | `null_type` | `null`                                                                                               |
 * | `bool`      | `boolean`                                                                                            |
 * | `int`       | `number` if it is a safe integer, else `bigint`                                                      |
 * | `double`    | `number` if it is not a safe integer, else `Double`                                                  |
 * | `string`    | `string`                                                                                             |
 * | `bytes`     | `Uint8Array`                                                                                         |
 * | `list`      | an array, or a `ListValue` that creates elements on access                                           |
 * | `map`       | a plain object (keys are strings), or a `MapValue`                                                   |
 * | others      | an instance of a class that extends `Instance`: `Uint`, `Timestamp`, `Duration`, `Optional`, ...      |
 *
 * So the result of `JSON.parse` is a value without conversion, and arithmetic on integers runs at JavaScript's speed.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly Value[]
  | Instance
  | { readonly [key: string]: Value };

/** A value that carries its type. */
export abstract class Instance {
  abstract readonly type: CelType;
  /** The size that costs are computed from. */
  get costSize(): number {
    return 1;
  }

  /** Returns `this == other`, for a value of any type. */
  abstract equals(other: Value): boolean;
}

/** A `double` with an integer value; other doubles are numbers. */
export class Double extends Instance {
  readonly value: number;

  constructor(value: number) {
    super();
    this.value = value;
  }

  override get type(): CelType {
    return types.double;
  }

  equals(other: Value): boolean {
    return compareNumbers(this, other) === 0;
  }
}

/** A `uint`: a `bigint` only beyond the safe integers. */
export class Uint extends Instance {
  readonly value: number | bigint;

  constructor(value: number | bigint) {
    super();
    this.value = value;
  }

  override get type(): CelType {
    return types.uint;
  }

  equals(other: Value): boolean {
    return compareNumbers(this, other) === 0;
  }
}

/** A list with elements created on access, or with custom equality or concatenation. */
export abstract class ListValue extends Instance {
  abstract readonly length: number;
  abstract at(index: number): Value;

  /** Returns `this + other`, if that is not the sequence of both. */
  concat?(other: Value): Value;
}

/** A map with keys of any type. */
export abstract class MapValue extends Instance {
  abstract readonly size: number;
  /** Returns the value of a key, undefined if it is absent. Equal numbers of different types are the same key. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;

  /** Returns `key in map`. Maps with values for absent keys override it. */
  has(key: Value): boolean {
    return this.find(key) !== undefined;
  }
}

/** A value with declared fields. */
export abstract class StructValue extends Instance {
  /** Returns `has(value.field)`. */
  abstract has(field: string): boolean;
  /** Returns the value of a field, undefined if it is absent; then selecting it fails. */
  abstract get(field: string): Value | undefined;
}

/** A type as a value: what `type(x)` returns. */
export class TypeValue extends Instance {
  readonly of: CelType;

  constructor(of: CelType) {
    super();
    this.of = of;
  }

  override get type(): CelType {
    return types.type;
  }

  equals(other: Value): boolean {
    return other instanceof TypeValue && other.of.name === this.of.name;
  }
}

/**
 * Compares the mathematical values of two numbers of any numeric types; NaN if they are unordered, undefined if a value is
 * not a number.
 */
export function compareNumbers(a: Value, b: Value): number | undefined {
  let left = numeric(a);
  let right = numeric(b);
  if (left === undefined || right === undefined) return undefined;
  // An integer is converted to the nearest double before it is compared with one.
  if (isDouble(a) || isDouble(b)) [left, right] = [Number(left), Number(right)];
  if (left < right) return -1;
  if (left > right) return 1;
  return left == right ? 0 : NaN;
}

/** Returns true for a `double`: a number that is not a safe integer, or a `Double`. */
export function isDouble(value: Value): value is number | Double {
  return value instanceof Double || (typeof value === 'number' && !Number.isSafeInteger(value));
}

/** Returns the number of a `double`. */
export function doubleNumber(value: number | Double): number {
  return typeof value === 'number' ? value : value.value;
}

/** Returns the number of a value of a numeric type, undefined for other values. */
export function numeric(value: Value): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof Double || value instanceof Uint ? value.value : undefined;
}

/** Creates a `double`. */
export function double(value: number): Value {
  return Number.isSafeInteger(value) ? new Double(value) : value;
}
