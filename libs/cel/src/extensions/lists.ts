import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import { folds, identifier, variableName } from '../functions/standard-macros.ts';
import { accumulatorName } from '../syntax/expr.ts';
import type { Macro } from '../syntax/macro.ts';
import { declare, member, overload } from '../typing/declare.ts';
import { type CelType, listType, typeParam, types } from '../typing/type.ts';
import { elements, isList } from '../values/container.ts';
import { equalLists } from '../values/equality.ts';
import type { Integer } from '../values/int.ts';
import { runtimeType } from '../values/kind.ts';
import { order } from '../values/order.ts';
import { compareNumbers, ListValue, type Value } from '../values/value.ts';
import { ValueSet } from '../values/value-set.ts';
import { distinctCost, flattenCost, rangeCost, reverseCost, sliceCost, sortCost } from './list-costs.ts';

const { int } = types;
const t = typeParam('T');
const list = listType(t);
type List = readonly Value[] | ListValue;

/** The types whose values are ordered. */
const comparable = [
  types.int,
  types.uint,
  types.double,
  types.bool,
  types.duration,
  types.timestamp,
  types.string,
  types.bytes,
].map((type) => ({ type, textual: type === types.string || type === types.bytes }));

const input = '@__sortBy_input__';
const sortable = new Set(['list', 'select', 'ident', 'comprehension', 'call']);

/** `list.sortBy(x, key of x)`: evaluates the list once and sorts by the keys. */
const sortBy: Macro = {
  name: 'sortBy',
  member: true,
  args: 2,
  expand(build, [variable, key], target) {
    if (!sortable.has(target!.kind)) {
      const allowed = 'a list, identifier, comprehension, call or select expression';
      return build.fail(target!, `sortBy can only be applied to ${allowed}`);
    }
    const keys = build.fold({
      range: build.ident(input),
      variable: variableName(build, variable!, identifier),
      accumulator: accumulatorName,
      ...folds.collect(build, key!),
    });
    return build.bind(input, target!, build.member(build.ident(input), '@sortByAssociatedKeys', keys));
  },
};

/** https://github.com/google/cel-go/blob/master/ext/README.md#lists */
export const listsLibrary: Library = {
  name: 'lists',
  macros: [sortBy],
  functions: [
    declare('slice', member('list_slice', [list, int, int], list, slice, sliceCost)),
    {
      ...declare(
        'flatten',
        member('list_flatten', [listType(list)], list, (of: List) => flatten(of, 1), flattenCost),
        member('list_flatten_int', [listType(types.dyn), int], listType(types.dyn), flatten, flattenCost),
      ),
    },
    {
      ...declare(
        'sort',
        ...comparable.map(({ type, textual }) => {
          const cost = sortCost(({ target }) => target!, textual, 0);
          const of = listType(type);
          return member(`list_${type.name}_sort`, [of], of, (values: List) => sorted(values, values), cost);
        }),
      ),
      mismatch: 'no such overload: sort',
    },
    {
      ...declare(
        '@sortByAssociatedKeys',
        ...comparable.map(({ type, textual }) => {
          const cost = sortCost(({ args: [keys] }) => keys!, textual, 1);
          const id = `list_${type.name}_sortByAssociatedKeys`;
          return member(id, [list, listType(type)], list, sorted, cost);
        }),
      ),
      mismatch: 'no such overload',
    },
    declare(
      'lists.range',
      overload(
        'lists_range',
        [int],
        listType(int),
        (count: Integer) => new RangeList(Math.max(Number(count), 0)),
        rangeCost,
      ),
    ),
    declare(
      'reverse',
      member('list_reverse', [list], list, (of: List) => [...elements(of)].reverse(), reverseCost),
    ),
    declare('distinct', member('list_distinct', [list], list, distinct, distinctCost)),
  ],
};

function slice(list: List, start: Integer, end: Integer): Value {
  const call = `cannot slice(${start}, ${end})`;
  if (start < 0 || end < 0) return fail(`${call}, negative indexes not supported`);
  if (start > end) return fail(`${call}, start index must be less than or equal to end index`);
  if (list.length < end) return fail(`${call}, list is length ${list.length}`);
  return elements(list).slice(Number(start), Number(end));
}

function flatten(list: List, depth: Integer): readonly Value[] {
  if (depth < 0) return fail('level must be non-negative');
  return elements(list).flatMap((element) =>
    isList(element) && depth > 0 ? flatten(element, Number(depth) - 1) : [element],
  );
}

function sorted(list: List, keys: List): Value {
  if (list.length !== keys.length) {
    const sizes = `${list.length} and ${keys.length} elements respectively`;
    return fail(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${sizes}`,
    );
  }
  const by = elements(keys);
  if (by.length === 0) return list;
  const { name } = runtimeType(by[0]!);
  if (!comparable.some(({ type }) => type.name === name)) return fail('list elements must be comparable');
  if (by.some((key) => runtimeType(key).name !== name)) return fail('list elements must have the same type');
  const values = elements(list);
  return by
    .map((key, i) => ({ key, i }))
    .sort((a, b) => inOrder(a.key, b.key))
    .map(({ i }) => values[i]!);
}

/** The integers from 0, created on access: the cost limit can reject a long list before it uses memory. */
class RangeList extends ListValue {
  readonly length: number;

  constructor(length: number) {
    super();
    this.length = length;
  }

  override get type(): CelType {
    return listType(int);
  }

  at(index: number): Value {
    return index;
  }

  equals(other: Value): boolean {
    return isList(other) && equalLists(this, other);
  }
}

/** Compares two elements; the order of NaN is unspecified. */
function inOrder(a: Value, b: Value): number {
  return (compareNumbers(a, b) ?? order(a, b)) || 0;
}

function distinct(list: List): Value {
  const unique = new ValueSet();
  return elements(list).filter((value) => unique.add(value));
}
