import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import type { Expr } from '../syntax/expr.ts';
import type { Macro } from '../syntax/macro.ts';
import { declare, overload } from '../typing/declare.ts';
import type { FunctionDeclaration } from '../typing/declarations.ts';
import { type CelType, listType, types } from '../typing/type.ts';
import { elements } from '../values/container.ts';
import { type Integer, narrow, negateInt } from '../values/int.ts';
import {
  compareNumbers,
  type Double,
  double as doubleOf,
  doubleNumber,
  isDouble,
  type ListValue,
  numeric,
  Uint,
  type Value,
} from '../values/value.ts';

const { bool, double, dyn, int, uint } = types;
const numbers = [double, int, uint];
type Float = number | Double;
type List = readonly Value[] | ListValue;

const isNumeric = (expr: Expr): boolean =>
  expr.kind === 'literal'
    ? numeric(expr.value) !== undefined
    : expr.kind !== 'list' && expr.kind !== 'map' && expr.kind !== 'struct';

/** The macro `math.least(...)` or `math.greatest(...)` for arguments or a list. */
function extreme(name: string, call: string): Macro {
  const of = `math.${name}()`;
  return {
    name,
    member: true,
    args: -1,
    expand(build, args, target) {
      if (target?.kind !== 'ident' || target.name !== 'math') return undefined;
      const [first] = args;
      if (!first) return build.fail(target, `${of} requires at least one argument`);
      if (args.length === 1) {
        const isList = first.kind === 'list' && first.elements.length > 0 && first.elements.every(isNumeric);
        if (isList || isNumeric(first)) return build.call(call, first);
        return build.fail(first, `${of} invalid single argument value`);
      }
      const invalid = args.find((arg) => !isNumeric(arg));
      if (invalid) return build.fail(invalid, `${of} simple literal arguments must be numeric`);
      return args.length === 2 ? build.call(call, ...args) : build.call(call, build.list(...args));
    },
  };
}

/** Declares the function of such a macro; `better` is the sign of the comparison of the result with other values. */
function pick(name: string, better: -1 | 1): FunctionDeclaration {
  const of = (a: Value, b: Value) => (compareNumbers(b, a) === better ? b : a);
  const ofList = (list: List) => {
    if (list.length === 0) return fail(`math.@${name}(list) argument must not be empty`);
    return elements(list).reduce((a, b) => of(a, b));
  };
  const pairs = numbers.flatMap((a) =>
    numbers.map((b) => overload(`math_@${name}_${a.name}_${b.name}`, [a, b], a === b ? a : dyn, of)),
  );
  return declare(
    `math.@${name}`,
    ...numbers.map((type) => overload(`math_@${name}_${type.name}`, [type], type, (value: Value) => value)),
    ...pairs,
    ...numbers.map((type) => overload(`math_@${name}_list_${type.name}`, [listType(type)], type, ofList)),
  );
}

function ofDouble(name: string, result: CelType, compute: (value: number) => Value): FunctionDeclaration {
  const call = (value: Float) => compute(doubleNumber(value));
  return declare(`math.${name}`, overload(`math_${name}_double`, [double], result, call));
}

/** Rounds half away from zero. */
const round = (value: number) => Math.sign(value) * Math.round(Math.abs(value));

function ofNumbers(name: string, result: CelType | undefined, compute: (value: never) => Value) {
  const overloads = numbers.map((type) =>
    overload(`math_${name}_${type.name}`, [type], result ?? type, compute),
  );
  return declare(`math.${name}`, ...overloads);
}

function abs(value: Float | Integer | Uint): Value {
  if (value instanceof Uint) return value;
  if (isDouble(value)) return doubleOf(Math.abs(doubleNumber(value)));
  return value < 0 ? negateInt(value as Integer) : value;
}

function sign(value: Float | Integer | Uint): Value {
  if (value instanceof Uint) return new Uint(value.value === 0 ? 0 : 1);
  if (isDouble(value)) return doubleOf(Math.sign(doubleNumber(value)) + 0);
  return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/** Converts the low 64 bits to an `int` or a `uint`. */
const signed = (bits: bigint) => narrow(BigInt.asIntN(64, bits));
const unsigned = (bits: bigint) => new Uint(narrow(BigInt.asUintN(64, bits)));
const bitsOf = (value: Value) => BigInt(numeric(value)!);

function bitwise(name: string, compute: (a: bigint, b: bigint) => bigint): FunctionDeclaration {
  const of = (make: (bits: bigint) => Value) => (a: Value, b: Value) => make(compute(bitsOf(a), bitsOf(b)));
  return declare(
    `math.${name}`,
    overload(`math_${name}_int_int`, [int, int], int, of(signed)),
    overload(`math_${name}_uint_uint`, [uint, uint], uint, of(unsigned)),
  );
}

function shift(name: string, compute: (bits: bigint, by: bigint) => bigint): FunctionDeclaration {
  const of = (make: (bits: bigint) => Value) => (value: Value, by: Integer) => {
    if (by < 0) return fail(`math.${name}() negative offset: ${by}`);
    return make(by >= 64 ? 0n : compute(BigInt.asUintN(64, bitsOf(value)), BigInt(by)));
  };
  return declare(
    `math.${name}`,
    overload(`math_${name}_int_int`, [int, int], int, of(signed)),
    overload(`math_${name}_uint_int`, [uint, int], uint, of(unsigned)),
  );
}

/** https://github.com/google/cel-go/blob/master/ext/README.md#math */
export const mathLibrary: Library = {
  name: 'math',
  macros: [extreme('least', 'math.@min'), extreme('greatest', 'math.@max')],
  functions: [
    pick('min', -1),
    pick('max', 1),
    ofDouble('ceil', double, (value) => doubleOf(Math.ceil(value))),
    ofDouble('floor', double, (value) => doubleOf(Math.floor(value))),
    ofDouble('round', double, (value) => doubleOf(round(value))),
    ofDouble('trunc', double, (value) => doubleOf(Math.trunc(value))),
    ofDouble('isInf', bool, (value) => Math.abs(value) === Infinity),
    ofDouble('isNaN', bool, Number.isNaN),
    ofDouble('isFinite', bool, Number.isFinite),
    ofNumbers('abs', undefined, abs),
    ofNumbers('sign', undefined, sign),
    ofNumbers('sqrt', double, (value: Value) => doubleOf(Math.sqrt(Number(numeric(value))))),
    bitwise('bitAnd', (a, b) => a & b),
    bitwise('bitOr', (a, b) => a | b),
    bitwise('bitXor', (a, b) => a ^ b),
    declare(
      'math.bitNot',
      overload('math_bitNot_int_int', [int], int, (value: Value) => signed(~bitsOf(value))),
      overload('math_bitNot_uint_uint', [uint], uint, (value: Value) => unsigned(~bitsOf(value))),
    ),
    shift('bitShiftLeft', (bits, by) => bits << by),
    shift('bitShiftRight', (bits, by) => bits >> by),
  ],
};
