import { fail } from '../errors.ts';
import type { Library } from '../functions/library.ts';
import { folds, type Fold, variableName } from '../functions/standard-macros.ts';
import { accumulatorName, type Expr } from '../syntax/expr.ts';
import type { Macro, MacroBuilder } from '../syntax/macro.ts';
import { declare, overload } from '../typing/declare.ts';
import { mapType, typeParam } from '../typing/type.ts';
import { mapFind, mapKeys } from '../values/container.ts';
import { formatValue } from '../values/format.ts';
import { EntryMap } from '../values/map.ts';
import type { Value } from '../values/value.ts';

const map = mapType(typeParam('K'), typeParam('V'));
const insert = 'cel.@mapInsert';
const accumulator = (build: MacroBuilder) => build.ident(accumulatorName);
const simpleName = 'argument must be a simple name';

/** Declares a macro over the indices and elements of a list, or the entries of a map. */
function fold(
  name: string,
  args: number,
  parts: (build: MacroBuilder, args: readonly Expr[], variables: readonly [string, string]) => Fold,
): Macro {
  return {
    name,
    member: true,
    args,
    expand(build, args, range) {
      const [first, second] = args as [Expr, Expr];
      for (const at of [first, second]) if (at.kind !== 'ident') return build.fail(at, simpleName);
      if (first.kind === 'ident' && second.kind === 'ident' && first.name === second.name)
        return build.fail(second, `duplicate variable name: ${first.name}`);
      const variable = variableName(build, first, simpleName);
      const variable2 = variableName(build, second, simpleName);
      return build.fold({
        range: range!,
        variable,
        variable2,
        accumulator: accumulatorName,
        ...parts(build, args.slice(2), [variable, variable2]),
      });
    },
  };
}

/** Declares the macro with and without a filter before its last argument. */
function filtered(name: string, parts: (build: MacroBuilder, element: Expr, key: string) => Fold): Macro[] {
  return [
    fold(name, 3, (build, [element], [key]) => parts(build, element!, key)),
    fold(name, 4, (build, [filter, element], [key]) => {
      const all = parts(build, element!, key);
      return { ...all, step: build.call('_?_:_', filter!, all.step, accumulator(build)) };
    }),
  ];
}

function collectMap(build: MacroBuilder, ...entry: readonly Expr[]): Fold {
  return {
    init: build.map(),
    condition: build.literal(true),
    step: build.call(insert, accumulator(build), ...entry),
    result: accumulator(build),
  };
}

/** https://github.com/google/cel-go/blob/master/ext/README.md#twovarcomprehensions */
export const twoVariablesLibrary: Library = {
  name: 'two-variables',
  macros: [
    fold('all', 3, (build, [predicate]) => folds.all(build, predicate!)),
    fold('exists', 3, (build, [predicate]) => folds.exists(build, predicate!)),
    fold('exists_one', 3, (build, [predicate]) => folds.existsOne(build, predicate!)),
    fold('existsOne', 3, (build, [predicate]) => folds.existsOne(build, predicate!)),
    ...filtered('transformList', (build, element) => folds.collect(build, element)),
    ...filtered('transformMap', (build, value, key) => collectMap(build, build.ident(key), value)),
    ...filtered('transformMapEntry', (build, entry) => collectMap(build, entry)),
  ],
  functions: [
    declare(
      insert,
      {
        ...overload('@mapInsert_map_key_value', [map, typeParam('K'), typeParam('V')], map, withEntry),
        grow: addEntry,
      },
      { ...overload('@mapInsert_map_map', [map, map], map, withEntries), grow: addEntries },
    ),
  ],
};

function withEntry(map: Value, key: Value, value: Value): EntryMap {
  return addEntry(copyOf(map), key, value);
}

function withEntries(map: Value, more: Value): EntryMap {
  return addEntries(copyOf(map), more);
}

function addEntry(map: EntryMap, key: Value, value: Value): EntryMap {
  if (map.find(key) !== undefined) return fail(`insert failed: key ${formatValue(key)} already exists`);
  return map.insert(key, value);
}

function addEntries(map: EntryMap, more: Value): EntryMap {
  for (const key of mapKeys(more)) addEntry(map, key, mapFind(more, key)!);
  return map;
}

function copyOf(map: Value): EntryMap {
  return addEntries(new EntryMap(), map);
}
