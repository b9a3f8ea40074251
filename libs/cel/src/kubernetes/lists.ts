import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import { member } from '../typing/declare.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import { type CelType, listType, typeParam, types } from '../typing/type.ts';
import { elementAt, elements } from '../values/container.ts';
import { equals } from '../values/equality.ts';
import { order } from '../values/order.ts';
import { addInt, addUint, type Integer } from '../values/int.ts';
import { Duration } from '../values/time.ts';
import type { Double } from '../values/value.ts';
import { double, doubleNumber, type ListValue, Uint, type Value } from '../values/value.ts';
import { costing, elementwise } from './call-costs.ts';

type List = readonly Value[] | ListValue;
type Named = readonly [name: string, type: CelType];

const { bool, bytes, duration, int, string, timestamp, uint } = types;

const comparable: readonly Named[] = [
  ['int', int],
  ['uint', uint],
  ['double', types.double],
  ['bool', bool],
  ['duration', duration],
  ['timestamp', timestamp],
  ['string', string],
  ['bytes', bytes],
];

type Sum = (list: List) => Value;

const summable: readonly (readonly [...Named, sum: Sum])[] = [
  ['int', int, (list) => elements(list).reduce<Integer>((total, n) => addInt(total, n as Integer), 0)],
  ['uint', uint, (list) => elements(list).reduce<Uint>((total, n) => addUint(total, n as Uint), new Uint(0))],
  ['double', types.double, (list) => double(elements(list).reduce<number>(addDouble, 0))],
  ['duration', duration, (list) => elements(list).reduce<Duration>(addDuration, new Duration(0n))],
];

const addDouble = (total: number, n: Value): number => total + doubleNumber(n as number | Double);
const addDuration = (total: Duration, n: Value): Duration =>
  Duration.checked(total.nanos + (n as Duration).nanos);

const functions: readonly FunctionDeclaration[] = [
  forEach('isSorted', comparable, ([name, type]) =>
    member(`list_${name}_is_sorted_bool`, [listType(type)], bool, isSorted),
  ),
  forEach('sum', summable, ([name, type, sum]) =>
    member(`list_${name}_sum_${name}`, [listType(type)], type, sum),
  ),
  forEach('max', comparable, extreme('max', 1)),
  forEach('min', comparable, extreme('min', -1)),
  searched('indexOf', 'list_a_index_of_int', (list, sought) => {
    for (let i = 0; i < list.length; i++) if (equals(elementAt(list, i), sought)) return i;
    return -1;
  }),
  searched('lastIndexOf', 'list_a_last_index_of_int', (list, sought) => {
    for (let i = list.length - 1; i >= 0; i--) if (equals(elementAt(list, i), sought)) return i;
    return -1;
  }),
];

/**
 * The list functions for order, sums and positions.
 * https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library
 */
export const kubernetesLists: Library = { name: 'kubernetes.lists', functions };

function forEach<Row>(name: string, rows: readonly Row[], make: (row: Row) => Overload): FunctionDeclaration {
  return costing(elementwise, name, ...rows.map(make));
}

function searched(
  name: string,
  id: string,
  call: (list: List, sought: Value) => number,
): FunctionDeclaration {
  const element = typeParam('A');
  return costing(elementwise, name, member(id, [listType(element), element], int, call));
}

function isSorted(list: List): boolean {
  return elements(list).every((element, i, all) => i === 0 || order(all[i - 1]!, element) <= 0);
}

function extreme(name: string, preferred: 1 | -1): (row: Named) => Overload {
  const find = (list: List): Value => {
    const [first, ...rest] = elements(list);
    if (first === undefined) return fail(`${name} called on empty list`);
    return rest.reduce((best, element) => (order(element, best) * preferred > 0 ? element : best), first);
  };
  return ([typeName, type]) => member(`list_${typeName}_${name}_${typeName}`, [listType(type)], type, find);
}
