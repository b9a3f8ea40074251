import { fail } from '../errors.ts';
import { type CelType, optionalType, types } from '../typing/type.ts';
import { equals } from './equality.ts';
import { Instance, type Value } from './value.ts';

const type = optionalType(types.dyn);

/** An optional value. */
export class Optional extends Instance {
  static readonly none = new Optional(undefined);
  readonly #value: Value | undefined;

  private constructor(value: Value | undefined) {
    super();
    this.#value = value;
  }

  static of(value: Value): Optional {
    return new Optional(value);
  }

  override get type(): CelType {
    return type;
  }

  get present(): boolean {
    return this.#value !== undefined;
  }

  /** Returns the value; fails if it is absent. */
  get value(): Value {
    return this.#value === undefined ? fail('optional.none() dereference') : this.#value;
  }

  /** Returns the value, or `absent` if it is absent. */
  or(absent: Value): Value {
    return this.#value === undefined ? absent : this.#value;
  }

  equals(other: Value): boolean {
    if (!(other instanceof Optional) || this.present !== other.present) return false;
    return !this.present || equals(this.value, other.value);
  }
}
