import type { CallCost } from '../costs/cost.ts';
import type { FunctionDeclaration, Implementation, Overload } from './declarations.ts';
import type { CelType } from './type.ts';

/** An overload called as `name(args)`. */
export function overload(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call?: Implementation,
  cost?: CallCost,
): Overload {
  return { id, args, result, ...(call && { call }), ...(cost && { cost }) };
}

/** An overload called as `receiver.name(args)`; the receiver is the first of the arguments. */
export function member(
  id: string,
  args: readonly CelType[],
  result: CelType,
  call?: Implementation,
  cost?: CallCost,
): Overload {
  return { ...overload(id, args, result, call, cost), member: true };
}

/** A function with its overloads. */
export function declare(name: string, ...overloads: readonly Overload[]): FunctionDeclaration {
  return { name, overloads };
}
