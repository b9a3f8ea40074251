import { fail } from '../errors.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import type { CelType, TypeKind } from '../typing/type.ts';
import { type Guard, guardOf } from './guards.ts';
import { runtimeType } from '../values/kind.ts';
import type { Value } from '../values/value.ts';

/** An implementation that takes whatever there is. */
export type Call = (...args: readonly Value[]) => Value;

/** Calls the first overload that the arguments fit. */
export function dispatcher(declared: FunctionDeclaration, overloads: readonly Overload[]): Call {
  const guarded = overloads
    .filter(({ call }) => call)
    .map(({ args, call }) => ({ guards: args.map(guardOf), call: call as Call }));
  const mismatch = (args: readonly Value[]) => {
    const types = args.map((arg) => runtimeType(arg).name).join(', ');
    return fail(declared.mismatch ?? `no such overload: ${declared.name}(${types})`);
  };
  if (guarded.some(({ guards }) => guards.length !== 2)) {
    return (...args) => {
      for (const { guards, call } of guarded) if (allFit(guards, args)) return call(...args);
      return mismatch(args);
    };
  }
  // Operators have two arguments: no array is needed for them.
  const pairs = guarded.map(({ guards: [first, second], call }) => ({
    first: first!,
    second: second!,
    call,
  }));
  return ((a: Value, b: Value) => {
    for (const { first, second, call } of pairs) if (first(a) && second(b)) return call(a, b);
    return mismatch([a, b]);
  }) as Call;
}

function allFit(guards: readonly Guard[], args: readonly Value[]): boolean {
  if (guards.length !== args.length) return false;
  for (let i = 0; i < guards.length; i++) if (!guards[i]!(args[i]!)) return false;
  return true;
}

/** Whether arguments of these static types fit an overload whatever their values are. */
export function alwaysFit(overload: Overload, types: readonly (CelType | undefined)[]): boolean {
  return overload.args.every((expected, i) => isCertain(expected, types[i]));
}

/** The types that null is not assignable to. */
const certainKinds: ReadonlySet<TypeKind> = new Set([
  'bool',
  'bytes',
  'double',
  'int',
  'list',
  'map',
  'string',
  'uint',
]);

function isCertain(expected: CelType, actual: CelType | undefined): boolean {
  if (isOpen(expected)) return true;
  if (!actual || actual.nullable || actual.kind !== expected.kind || !certainKinds.has(actual.kind))
    return false;
  return expected.parameters.every((parameter, i) => isCertain(parameter, actual.parameters[i]));
}

function isOpen({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'any' || kind === 'typeParam';
}
