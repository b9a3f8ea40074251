import type { CallCost } from '../costs/cost.ts';
import type { Value } from '../values/value.ts';
import type { CelType } from './type.ts';

/** Computes a call from its arguments, the receiver first; throws a `Failure` for an error. */
export type Implementation = (...args: never[]) => Value;

/** One signature of a function. */
export interface Overload {
  /** Unique in an environment; what cost estimators and checked expressions refer to. */
  readonly id: string;
  /** The types of the arguments, that of the receiver first. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** Called as `receiver.name(...)`. */
  readonly member?: boolean;
  /** None when the evaluator has an operator of its own for it. */
  readonly call?: Implementation;
  /**
   * Called once where arguments are constants, for an implementation that has done beforehand what it can, such as compiling a
   * pattern; what is no constant is undefined. When it fails there is no program.
   */
  readonly prepare?: (constants: readonly (Value | undefined)[]) => Implementation | undefined;
  /** The same as `call`, with the first argument changed in place: for an accumulator that nobody else can see. */
  readonly grow?: Implementation;
  /**
   * The receiver is optional, and the argument is evaluated only when it is absent; such calls cost nothing. The result is optional
   * as well, or the value.
   */
  readonly lazy?: 'optional' | 'value';
  /** Arguments are evaluated up to the first error, and the call is not paid for then: what is so of more than two always. */
  readonly stopsAtErrors?: true;
  /** What the call costs, when that is not one unit. */
  readonly cost?: CallCost;
}

/** A function or an operator with all its signatures. Declared again, it gets more of them. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** What calls of overloads cost that state no cost of their own. */
  readonly cost?: CallCost;
  /** The error of a call that fits no overload, when it does not name the function and the types. */
  readonly mismatch?: string;
}

/** A variable that expressions may use. */
export interface VariableDeclaration {
  readonly name: string;
  readonly type: CelType;
}

/** Knows the types with fields, which checker and evaluator ask when they meet one. */
export interface TypeProvider {
  /** The type that a qualified name stands for, undefined when it is none. */
  findType(name: string): CelType | undefined;
  /** The type of a field of a type with fields, undefined when it has no such field. */
  findField(typeName: string, field: string): CelType | undefined;
  /** Makes a value of `Name{field: value}`; without it, no expression can. */
  construct?(typeName: string, fields: ReadonlyMap<string, Value>): Value;
}
