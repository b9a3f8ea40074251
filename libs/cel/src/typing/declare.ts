import type { CallCost } from '../costs/cost.ts';
import type { FunctionDeclaration, Implementation, Overload } from './declarations.ts';
import type { CelType } from './type.ts';

/** Declares an overload called as `name(args)`. */
export function overload(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call?: Implementation,
  cost?: CallCost,
): Overload {
  return { id, args, result, ...(call && { call }), ...(cost && { cost }) };
}

/** Declares an overload called as `receiver.name(args)`; the receiver is the first of the arguments. */
export function member(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call?: Implementation,
  cost?: CallCost,
): Overload {
  return { ...overload(id, args, result, call, cost), member: true };
}

/** Declares a function with its overloads. */
export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}
