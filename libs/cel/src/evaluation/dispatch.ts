import { fail } from '../errors.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import type { CelType } from '../typing/type.ts';
import { elements, isList, isMap, mapFind, mapKeys } from '../values/container.ts';
import { runtimeType } from '../values/kind.ts';
import type { Value } from '../values/value.ts';

/** An implementation that takes whatever there is. */
export type Call = (...args: readonly Value[]) => Value;

/** Whether a value can be an argument where a type is declared; of a container, its first element tells. */
export function fits(type: CelType, value: Value): boolean {
  if (isOpen(type)) return true;
  if (type.nullable && value === null) return true;
  if (runtimeType(value).name !== type.name) return false;
  if (type.kind === 'list' && isList(value))
    return value.length === 0 || fits(type.parameters[0]!, elements(value)[0]!);
  if (type.kind !== 'map' || !isMap(value)) return true;
  const [first] = mapKeys(value);
  if (first === undefined) return true;
  return fits(type.parameters[0]!, first) && fits(type.parameters[1]!, mapFind(value, first)!);
}

/** Calls the first overload that the arguments fit. */
export function dispatcher(declared: FunctionDeclaration, overloads: readonly Overload[]): Call {
  return (...args) => {
    for (const { args: types, call } of overloads) {
      if (!call || types.length !== args.length || !types.every((type, i) => fits(type, args[i]!))) continue;
      return (call as Call)(...args);
    }
    const types = args.map((arg) => runtimeType(arg).name).join(', ');
    return fail(declared.mismatch ?? `no such overload: ${declared.name}(${types})`);
  };
}

/** Whether arguments of these static types fit an overload whatever their values are. */
export function alwaysFit(overload: Overload, types: readonly (CelType | undefined)[]): boolean {
  return overload.args.every((expected, i) => isOpen(expected) || isClosed(types[i]));
}

function isOpen({ kind }: CelType): boolean {
  return kind === 'dyn' || kind === 'any' || kind === 'typeParam';
}

function isClosed(type: CelType | undefined): boolean {
  return type !== undefined && !isOpen(type) && !type.nullable && type.parameters.every(isClosed);
}
