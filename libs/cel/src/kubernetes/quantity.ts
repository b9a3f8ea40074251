import { Quantity, QuantityError } from '@annex/machinery';
import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import { member, overload } from '../typing/declare.ts';
import type { FunctionDeclaration } from '../typing/declarations.ts';
import { type CelType, structType, types } from '../typing/type.ts';
import { type Integer, narrow } from '../values/int.ts';
import { double, Instance, type Value } from '../values/value.ts';
import { costing, nominal, textArgument } from './call-costs.ts';

const { bool, int, string } = types;
export const quantityType = structType('kubernetes.Quantity');

/** A quantity, such as `1.5Gi`. */
class QuantityValue extends Instance {
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  override get type(): CelType {
    return quantityType;
  }

  equals(other: Value): boolean {
    if (!(other instanceof QuantityValue)) return fail('no such overload');
    return other.quantity.compare(this.quantity) === 0;
  }
}

const sign = (value: number): number => Math.sign(value) + 0;
const compare = (a: QuantityValue, b: QuantityValue): number => sign(a.quantity.compare(b.quantity));
const whole = (value: Integer): Quantity => Quantity.of(value, 'DecimalExponent');

/** Declares `add` or `sub`, for a quantity or an integer. */
function arithmetic(name: 'add' | 'sub'): FunctionDeclaration {
  return costing(
    nominal,
    name,
    member(
      `quantity_${name}`,
      [quantityType, quantityType],
      quantityType,
      (a: QuantityValue, b: QuantityValue) => new QuantityValue(a.quantity[name](b.quantity)),
    ),
    member(
      `quantity_${name}_int`,
      [quantityType, int],
      quantityType,
      (a: QuantityValue, b: Integer) => new QuantityValue(a.quantity[name](whole(b))),
    ),
  );
}

const functions: readonly FunctionDeclaration[] = [
  costing(textArgument(), 'quantity', overload('string_to_quantity', [string], quantityType, toQuantity)),
  costing(textArgument(), 'isQuantity', overload('is_quantity_string', [string], bool, isQuantity)),
  costing(
    nominal,
    'sign',
    overload('quantity_sign', [quantityType], int, ({ quantity }: QuantityValue) => quantity.sign),
  ),
  costing(
    nominal,
    'isGreaterThan',
    member(
      'quantity_is_greater_than',
      [quantityType, quantityType],
      bool,
      (a: QuantityValue, b: QuantityValue) => compare(a, b) > 0,
    ),
  ),
  costing(
    nominal,
    'isLessThan',
    member(
      'quantity_is_less_than',
      [quantityType, quantityType],
      bool,
      (a: QuantityValue, b: QuantityValue) => compare(a, b) < 0,
    ),
  ),
  costing(nominal, 'compareTo', member('quantity_compare_to', [quantityType, quantityType], int, compare)),
  costing(
    nominal,
    'asApproximateFloat',
    member('quantity_get_float', [quantityType], types.double, ({ quantity }: QuantityValue) =>
      double(quantity.toNumber()),
    ),
  ),
  costing(nominal, 'asInteger', member('quantity_get_int', [quantityType], int, asInteger)),
  costing(
    nominal,
    'isInteger',
    member(
      'quantity_is_integer',
      [quantityType],
      bool,
      ({ quantity }: QuantityValue) => quantity.asInt64() !== undefined,
    ),
  ),
  arithmetic('add'),
  arithmetic('sub'),
];

/** The functions of quantities. https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library */
export const quantityLibrary: Library = { name: 'kubernetes.quantity', functions };

function toQuantity(text: string): QuantityValue {
  try {
    return new QuantityValue(Quantity.parse(text));
  } catch (error) {
    if (error instanceof QuantityError) return fail(error.message);
    throw error;
  }
}

function isQuantity(text: string): boolean {
  try {
    Quantity.parse(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
}

function asInteger({ quantity }: QuantityValue): Integer {
  const value = quantity.asInt64();
  return value === undefined ? fail('cannot convert value to integer') : narrow(value);
}
