import type { Library } from '../functions/library.ts';
import { boundName } from '../functions/standard-macros.ts';
import type { Expr } from '../syntax/expr.ts';
import type { Macro, MacroBuilder } from '../syntax/macro.ts';
import { declare, member, overload } from '../typing/declare.ts';
import { listType, mapType, optionalType, typeParam, types } from '../typing/type.ts';
import { elementAt, elements, isList, isMap, mapSize } from '../values/container.ts';
import { Optional } from '../values/optional.ts';
import { Duration } from '../values/time.ts';
import { Double, type ListValue, Uint, type Value } from '../values/value.ts';
import { fail } from '../errors.ts';
import { formatValue } from '../values/format.ts';

const { bool, dyn, int, string } = types;
const k = typeParam('K');
const v = typeParam('V');
const optional = optionalType(v);
const list = listType(v);
const map = mapType(k, v);
type List = readonly Value[] | ListValue;

/** Expands to `target.hasValue() ? use(value of target) : optional.none()`, with a variable for the value. */
function ifPresent(name: string, use: (build: MacroBuilder, bound: Expr) => Expr): Macro {
  return {
    name,
    member: true,
    args: 2,
    expand(build, [variable, result], target) {
      const message = `${name}() variable name must be a simple identifier`;
      const bound = boundName(build, variable!, message);
      const has = build.member(target!, 'hasValue');
      const value = build.member(build.copy(target!), 'value');
      const then = use(build, build.bind(bound, value, result!));
      return build.call('_?_:_', has, then, build.call('optional.none'));
    },
  };
}

const index = (id: string, container: typeof list, key: typeof int) =>
  overload(id, [container, key], optional);

/** Optional values: `optional_type`, `a.?b`, `a[?b]`. The syntax is enabled by an option of the environment. */
export const optionalsLibrary: Library = {
  name: 'optionals',
  types: [optionalType(dyn)],
  macros: [
    ifPresent('optMap', (build, bound) => build.call('optional.of', bound)),
    ifPresent('optFlatMap', (_, bound) => bound),
  ],
  functions: [
    declare(
      'optional.of',
      overload('optional_of', [v], optional, (value: Value) => Optional.of(value)),
    ),
    declare('optional.ofNonZeroValue', overload('optional_ofNonZeroValue', [v], optional, ofNonZeroValue)),
    declare(
      'optional.none',
      overload('optional_none', [], optional, () => Optional.none),
    ),
    declare(
      'value',
      member('optional_value', [optional], v, (of: Optional) => of.value),
    ),
    declare(
      'hasValue',
      member('optional_hasValue', [optional], bool, (of: Optional) => of.present),
    ),
    declare('or', { ...member('optional_or_optional', [optional, optional], optional), lazy: 'optional' }),
    declare('orValue', { ...member('optional_orValue_value', [optional, v], v), lazy: 'value' }),
    declare('_?._', overload('select_optional_field', [dyn, string], optional)),
    declare(
      '_[?_]',
      index('list_optindex_optional_int', list, int),
      index('optional_list_optindex_optional_int', optionalType(list), int),
      index('map_optindex_optional_value', map, k),
      index('optional_map_optindex_optional_value', optionalType(map), k),
    ),
    declare(
      '_[_]',
      index('optional_list_index_int', optionalType(list), int),
      index('optional_map_index_value', optionalType(map), k),
    ),
    declare(
      'first',
      member('list_first', [list], optional, (of: List) => at(of, 0)),
    ),
    declare(
      'last',
      member('list_last', [list], optional, (of: List) => at(of, of.length - 1)),
    ),
    declare('optional.unwrap', overload('optional_unwrap', [listType(optional)], list, unwrap)),
    declare('unwrapOpt', member('optional_unwrapOpt', [listType(optional)], list, unwrap)),
  ],
};

function ofNonZeroValue(value: Value): Optional {
  return isZero(value) ? Optional.none : Optional.of(value);
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (value instanceof Double || value instanceof Uint) return value.value === 0;
  if (Object.is(value, -0)) return true;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Uint8Array || isList(value)) return value.length === 0;
  return isMap(value) && mapSize(value) === 0;
}

function at(list: List, index: number): Optional {
  return index >= 0 && index < list.length ? Optional.of(elementAt(list, index)) : Optional.none;
}

function unwrap(list: List): Value {
  const present: Value[] = [];
  for (const element of elements(list)) {
    if (!(element instanceof Optional)) return fail(`value ${formatValue(element)} is not optional`);
    if (element.present) present.push(element.value);
  }
  return present;
}
