import type { CelType } from '../typing/type.ts';
import { types } from '../typing/type.ts';

/**
 * A value of the language as JavaScript holds it:
 *
 * | type        | representation                                                                                       |
 * | ----------- | ---------------------------------------------------------------------------------------------------- |
 * | `null_type` | `null`                                                                                               |
 * | `bool`      | `boolean`                                                                                            |
 * | `int`       | `number` when it is a safe integer, else `bigint`                                                    |
 * | `double`    | `number` when it is no safe integer, else `Double`                                                   |
 * | `string`    | `string`                                                                                             |
 * | `bytes`     | `Uint8Array`                                                                                         |
 * | `list`      | an array, or a `ListValue` where elements are made when they are asked for                           |
 * | `map`       | a plain object (keys are strings), or a `MapValue`                                                   |
 * | others      | an instance of a class that extends `Instance`: `Uint`, `Timestamp`, `Duration`, `Optional`, ...      |
 *
 * So what `JSON.parse` returns is a value as it is, and arithmetic on integers costs what it costs in JavaScript.
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

  /** Whether `==` holds; the other one is of any type. */
  abstract equals(other: Value): boolean;
}

/** An integer-valued `double`: other doubles are numbers as they are. */
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

/** A list whose elements are made when they are asked for, or whose equality or concatenation is its own. */
export abstract class ListValue extends Instance {
  abstract readonly length: number;
  abstract at(index: number): Value;

  /** `this + other`, when that is not the sequence of both. */
  concat?(other: Value): Value;
}

/** A map from keys that need not be strings. */
export abstract class MapValue extends Instance {
  abstract readonly size: number;
  /** The value of a key, undefined when there is none. Numbers of all types are the same key. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
}

/** A value with declared fields. */
export abstract class StructValue extends Instance {
  /** Whether `has(value.field)` holds. */
  abstract has(field: string): boolean;
  /** The value of a field, undefined when it is absent: selecting it is an error then. */
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
 * The order of two numbers of any of the three numeric types by their mathematical values; NaN when there is none, undefined
 * when one of the values is no number.
 */
export function compareNumbers(a: Value, b: Value): number | undefined {
  let left = numeric(a);
  let right = numeric(b);
  if (left === undefined || right === undefined) return undefined;
  // A double is compared with the double that is nearest to the integer.
  if (isDouble(a) || isDouble(b)) [left, right] = [Number(left), Number(right)];
  if (left < right) return -1;
  if (left > right) return 1;
  return left == right ? 0 : NaN;
}

/** Whether a value is a `double`. */
export function isDouble(value: Value): value is number | Double {
  return value instanceof Double || (typeof value === 'number' && !Number.isSafeInteger(value));
}

/** The number of a `double`. */
export function doubleNumber(value: number | Double): number {
  return typeof value === 'number' ? value : value.value;
}

/** The number that a value of a numeric type stands for. */
export function numeric(value: Value): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof Double || value instanceof Uint ? value.value : undefined;
}

/** A `double` from a number. */
export function double(value: number): Value {
  return Number.isSafeInteger(value) ? new Double(value) : value;
}
