import { fail } from '../errors.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import type { CelType, TypeKind } from '../typing/type.ts';
import { type Guard, guardOf } from './guards.ts';
import { runtimeType } from '../values/kind.ts';
import type { Value } from '../values/value.ts';

/** An implementation that accepts values of any type. */
export type CallImplementation = (...args: readonly Value[]) => Value;

/** Returns a function that calls the first overload whose parameter types match the arguments. */
export function dispatcher(
  declared: FunctionDeclaration,
  overloads: readonly Overload[],
): CallImplementation {
  const guarded = overloads
    .filter(({ call }) => call)
    .map(({ args, call }) => ({ guards: args.map(guardOf), call: call as CallImplementation }));
  const mismatch = (args: readonly Value[]) => {
    const types = args.map((arg) => runtimeType(arg).name).join(', ');
    return fail(declared.mismatch ?? `no such overload: ${declared.name}(${types})`);
  };
  if (guarded.some(({ guards }) => guards.length !== 2)) {
    return (...args) => {
      for (const { guards, call } of guarded) if (allMatch(guards, args)) return call(...args);
      return mismatch(args);
    };
  }
  // Operators have two operands; this path needs no argument array.
  const pairs = guarded.map(({ guards: [first, second], call }) => ({
    first: first!,
    second: second!,
    call,
  }));
  return ((a: Value, b: Value) => {
    for (const { first, second, call } of pairs) if (first(a) && second(b)) return call(a, b);
    return mismatch([a, b]);
  }) as CallImplementation;
}

function allMatch(guards: readonly Guard[], args: readonly Value[]): boolean {
  if (guards.length !== args.length) return false;
  for (let i = 0; i < guards.length; i++) if (!guards[i]!(args[i]!)) return false;
  return true;
}

/** Returns true if all arguments of these static types match the overload. */
export function alwaysMatches(overload: Overload, types: readonly (CelType | undefined)[]): boolean {
  return overload.args.every((expected, i) => isCertain(expected, types[i]));
}

/** The types to which null is not assignable. */
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
