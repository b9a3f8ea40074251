import { accumulatorName, type Expr } from '../syntax/expr.ts';
import type { Macro, MacroBuilder } from '../syntax/macro.ts';
import { hidesAccumulator } from '../syntax/tree-builder.ts';

/** The parts of the fold that a macro expands to. */
export interface Fold {
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

const accumulator = (build: MacroBuilder) => build.ident(accumulatorName);

/** Returns the name that a macro binds; fails with `message` if it is not a simple identifier. */
export function boundName(build: MacroBuilder, at: Expr, message: string): string {
  return at.kind === 'ident' ? at.name : build.fail(at, message);
}

/** Returns the variable of a macro that folds; fails too if it hides the accumulator. */
export function variableName(build: MacroBuilder, at: Expr, message: string): string {
  const name = boundName(build, at, message);
  if (hidesAccumulator(name)) return build.fail(at, 'iteration variable overwrites accumulator variable');
  return name;
}

/** The folds of one-variable and two-variable macros. */
export const folds = {
  all: (build: MacroBuilder, predicate: Expr): Fold => ({
    init: build.literal(true),
    condition: build.call('@not_strictly_false', accumulator(build)),
    step: build.call('_&&_', accumulator(build), predicate),
    result: accumulator(build),
  }),
  exists: (build: MacroBuilder, predicate: Expr): Fold => ({
    init: build.literal(false),
    condition: build.call('@not_strictly_false', build.call('!_', accumulator(build))),
    step: build.call('_||_', accumulator(build), predicate),
    result: accumulator(build),
  }),
  existsOne: (build: MacroBuilder, predicate: Expr): Fold => ({
    init: build.literal(0),
    condition: build.literal(true),
    step: build.call(
      '_?_:_',
      predicate,
      build.call('_+_', accumulator(build), build.literal(1)),
      accumulator(build),
    ),
    result: build.call('_==_', accumulator(build), build.literal(1)),
  }),
  /** Appends the elements for which the filter is true to a list. */
  collect: (build: MacroBuilder, element: Expr, filter?: Expr): Fold => {
    const append = build.call('_+_', accumulator(build), build.list(element));
    return {
      init: build.list(),
      condition: build.literal(true),
      step: filter ? build.call('_?_:_', filter, append, accumulator(build)) : append,
      result: accumulator(build),
    };
  },
};

const hasMacro: Macro = {
  name: 'has',
  member: false,
  args: 1,
  expand(build, [arg]) {
    if (arg!.kind !== 'select') return build.fail(arg!, 'invalid argument to has() macro');
    return build.presence(arg!.operand, arg!.field);
  },
};

/** Declares a macro over the elements of a list or the keys of a map. */
function fold(
  name: string,
  args: number,
  message: string,
  parts: (build: MacroBuilder, args: readonly Expr[]) => Fold,
): Macro {
  return {
    name,
    member: true,
    args,
    expand: (build, args, range) =>
      build.fold({
        range: range!,
        variable: variableName(build, args[0]!, message),
        accumulator: accumulatorName,
        ...parts(build, args),
      }),
  };
}

const simpleName = 'argument must be a simple name';
/** cel-go's error message for a macro variable that is not an identifier. */
export const identifier = 'argument is not an identifier';

/** https://github.com/google/cel-spec/blob/master/doc/langdef.md#macros */
export const standardMacros: readonly Macro[] = [
  hasMacro,
  fold('all', 2, simpleName, (build, [, predicate]) => folds.all(build, predicate!)),
  fold('exists', 2, simpleName, (build, [, predicate]) => folds.exists(build, predicate!)),
  fold('exists_one', 2, simpleName, (build, [, predicate]) => folds.existsOne(build, predicate!)),
  fold('existsOne', 2, simpleName, (build, [, predicate]) => folds.existsOne(build, predicate!)),
  fold('map', 2, identifier, (build, [, element]) => folds.collect(build, element!)),
  fold('map', 3, identifier, (build, [, filter, element]) => folds.collect(build, element!, filter)),
  fold('filter', 2, identifier, (build, [variable, filter]) => folds.collect(build, variable!, filter)),
];
