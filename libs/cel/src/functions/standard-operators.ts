import { fail } from '../errors.ts';
import { declare, overload } from '../typing/declare.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import { type CelType, listType, mapType, typeParam, types } from '../typing/type.ts';
import { elements, isList, mapHas } from '../values/container.ts';
import { equals } from '../values/equality.ts';
import * as int from '../values/int.ts';
import { compareBytes, compareCodePoints, orderNumbers } from '../values/order.ts';
import { Duration, type Timestamp } from '../values/time.ts';
import { type Double, double, doubleNumber, ListValue, type Value } from '../values/value.ts';

const { bool, bytes, double: doubleType, duration, int: intType, string, timestamp, uint } = types;
const a = typeParam('A');
const b = typeParam('B');
const listOfA = listType(a);
const mapOfAB = mapType(a, b);

type Float = number | Double;

/** Declares an overload whose operands and result have one type. */
const closed = (id: string, type: CelType, call: Overload['call']) => overload(id, [type, type], type, call);
const floats = (compute: (a: number, b: number) => number) => (a: Float, b: Float) =>
  double(compute(doubleNumber(a), doubleNumber(b)));

const arithmetic: readonly FunctionDeclaration[] = [
  declare(
    '_+_',
    closed('add_bytes', bytes, concatBytes),
    closed(
      'add_double',
      doubleType,
      floats((a, b) => a + b),
    ),
    closed('add_duration_duration', duration, (a: Duration, b: Duration) =>
      Duration.checked(a.nanos + b.nanos),
    ),
    overload('add_duration_timestamp', [duration, timestamp], timestamp, (d: Duration, t: Timestamp) =>
      t.plus(d),
    ),
    overload('add_timestamp_duration', [timestamp, duration], timestamp, (t: Timestamp, d: Duration) =>
      t.plus(d),
    ),
    closed('add_int64', intType, int.addInt),
    { ...closed('add_list', listOfA, concatLists), grow: append },
    closed('add_string', string, (a: string, b: string) => a + b),
    closed('add_uint64', uint, int.addUint),
  ),
  declare(
    '_-_',
    closed(
      'subtract_double',
      doubleType,
      floats((a, b) => a - b),
    ),
    closed('subtract_duration_duration', duration, (a: Duration, b: Duration) =>
      Duration.checked(a.nanos - b.nanos),
    ),
    closed('subtract_int64', intType, int.subtractInt),
    overload('subtract_timestamp_duration', [timestamp, duration], timestamp, (t: Timestamp, d: Duration) =>
      t.plus(new Duration(-d.nanos)),
    ),
    overload('subtract_timestamp_timestamp', [timestamp, timestamp], duration, (a: Timestamp, b: Timestamp) =>
      a.minus(b),
    ),
    closed('subtract_uint64', uint, int.subtractUint),
  ),
  declare(
    '_*_',
    closed(
      'multiply_double',
      doubleType,
      floats((a, b) => a * b),
    ),
    closed('multiply_int64', intType, int.multiplyInt),
    closed('multiply_uint64', uint, int.multiplyUint),
  ),
  declare(
    '_/_',
    closed(
      'divide_double',
      doubleType,
      floats((a, b) => a / b),
    ),
    closed('divide_int64', intType, int.divideInt),
    closed('divide_uint64', uint, int.divideUint),
  ),
  declare(
    '_%_',
    closed('modulo_int64', intType, int.moduloInt),
    closed('modulo_uint64', uint, int.moduloUint),
  ),
  declare(
    '-_',
    overload('negate_double', [doubleType], doubleType, (value: Float) => double(-doubleNumber(value))),
    overload('negate_int64', [intType], intType, int.negateInt),
  ),
];

/** Compares two values of the same type or of numeric types. */
type Compare = (a: never, b: never) => number;

const orders: readonly (readonly [suffix: string, types: readonly [CelType, CelType], compare: Compare])[] = [
  ['bool', [bool, bool], (a: boolean, b: boolean) => Number(a) - Number(b)],
  ['int64', [intType, intType], orderNumbers],
  ['int64_double', [intType, doubleType], orderNumbers],
  ['int64_uint64', [intType, uint], orderNumbers],
  ['uint64', [uint, uint], orderNumbers],
  ['uint64_double', [uint, doubleType], orderNumbers],
  ['uint64_int64', [uint, intType], orderNumbers],
  ['double', [doubleType, doubleType], orderNumbers],
  ['double_int64', [doubleType, intType], orderNumbers],
  ['double_uint64', [doubleType, uint], orderNumbers],
  ['string', [string, string], compareCodePoints],
  ['bytes', [bytes, bytes], compareBytes],
  ['timestamp', [timestamp, timestamp], (a: Timestamp, b: Timestamp) => a.compare(b)],
  ['duration', [duration, duration], (a: Duration, b: Duration) => a.compare(b)],
];

function comparison(name: string, prefix: string, holds: (order: number) => boolean): FunctionDeclaration {
  const overloads = orders.map(([suffix, args, compare]) =>
    overload(`${prefix}_${suffix}`, args, bool, (a: never, b: never) => holds(compare(a, b))),
  );
  return declare(name, ...overloads);
}

const comparisons: readonly FunctionDeclaration[] = [
  comparison('_<_', 'less', (order) => order < 0),
  comparison('_<=_', 'less_equals', (order) => order <= 0),
  comparison('_>_', 'greater', (order) => order > 0),
  comparison('_>=_', 'greater_equals', (order) => order >= 0),
  declare('_==_', overload('equals', [a, a], bool)),
  declare('_!=_', overload('not_equals', [a, a], bool)),
];

const containers: readonly FunctionDeclaration[] = [
  declare('_[_]', overload('index_list', [listOfA, intType], a), overload('index_map', [mapOfAB, a], b)),
  declare(
    '@in',
    overload('in_list', [a, listOfA], bool, (value: Value, list: readonly Value[] | ListValue) =>
      inList(value, list),
    ),
    overload('in_map', [a, mapOfAB], bool, (key: Value, map: Value) => mapHas(map, key)),
  ),
];

const logic: readonly FunctionDeclaration[] = [
  declare('_?_:_', overload('conditional', [bool, a, a], a)),
  declare('_&&_', overload('logical_and', [bool, bool], bool)),
  declare('_||_', overload('logical_or', [bool, bool], bool)),
  declare(
    '!_',
    overload('logical_not', [bool], bool, (value: boolean) => !value),
  ),
  declare('@not_strictly_false', overload('not_strictly_false', [bool], bool)),
];

/** https://github.com/google/cel-spec/blob/master/doc/langdef.md#list-of-standard-definitions */
export const standardOperators: readonly FunctionDeclaration[] = [
  ...logic,
  ...comparisons,
  ...arithmetic,
  ...containers,
].map((declared) => ({ ...declared, mismatch: 'no such overload' }));

function inList(value: Value, list: readonly Value[] | ListValue): boolean {
  return elements(list).some((element) => equals(element, value));
}

/** Concatenates two lists; uses the `concat` method of the first one if it has one. */
export function concatLists(a: readonly Value[] | ListValue, b: readonly Value[] | ListValue): Value {
  if (a instanceof ListValue && a.concat) return a.concat(b);
  return isList(b) ? [...elements(a), ...elements(b)] : fail('no such overload');
}

/** Like `concatLists`, but changes the first list in place, which only one fold references. */
function append(list: Value[], more: readonly Value[] | ListValue): Value[] {
  for (const element of elements(more)) list.push(element);
  return list;
}

function concatBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}
