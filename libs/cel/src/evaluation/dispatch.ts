import { fail } from '../errors.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import type { CelType } from '../typing/type.ts';
import { elements, isList, isMap, mapFind, mapKeys } from '../values/container.ts';
import { runtimeType } from '../values/kind.ts';
import type { Value } from '../values/value.ts';

/** Whether a value can be an argument where a type is declared; of a container, its first element tells. */
export function fits(type: CelType, value: Value): boolean {
  if (type.kind === 'dyn' || type.kind === 'any' || type.kind === 'typeParam') return true;
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
export function dispatch(
  declared: FunctionDeclaration,
  overloads: readonly Overload[],
  args: readonly Value[],
): Value {
  for (const { args: types, call } of overloads) {
    if (!call || types.length !== args.length || !types.every((type, i) => fits(type, args[i]!))) continue;
    return (call as (...args: readonly Value[]) => Value)(...args);
  }
  return fail(`no such overload: ${declared.name}(${args.map((arg) => runtimeType(arg).name).join(', ')})`);
}
