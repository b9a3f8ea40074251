import type { CallCost } from '../costs/cost.ts';
import type { Value } from '../values/value.ts';
import type { CelType } from './type.ts';

/** Implements a call. The receiver is the first argument; a `Failure` is an error of the call. */
export type Implementation = (...args: never[]) => Value;

/** One signature of a function. */
export interface Overload {
  /** The id, unique in an environment; cost estimators and checked expressions use it. */
  readonly id: string;
  /** The parameter types, the receiver first. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  /** True for `receiver.name(...)`. */
  readonly member?: boolean;
  /** The implementation; absent for operators that the evaluator implements. */
  readonly call?: Implementation;
  /**
   * Called once if arguments are constants, to precompute work such as compiling a pattern; arguments that are not constant
   * are undefined. If it fails, the program fails.
   */
  readonly prepare?: (constants: readonly (Value | undefined)[]) => Implementation | undefined;
  /** Like `call`, but changes the first argument in place: for an accumulator with no other reference. */
  readonly grow?: Implementation;
  /**
   * The receiver is an optional, and the argument is evaluated only if it is empty; such calls cost nothing. The result is
   * an optional or its value.
   */
  readonly lazy?: 'optional' | 'value';
  /**
   * Arguments are evaluated up to the first error, and the call is then not charged. This always applies to more than two
   * arguments.
   */
  readonly stopsAtErrors?: true;
  /** The cost of the call, if it is not one unit. */
  readonly cost?: CallCost;
}

/** A function or operator with all its overloads. Repeated declarations add overloads. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** The cost of overloads that declare none. */
  readonly cost?: CallCost;
  /** The error of a call that matches no overload, if it differs from the default with the function and types. */
  readonly mismatch?: string;
}

/** A variable of an environment. */
export interface VariableDeclaration {
  readonly name: string;
  readonly type: CelType;
}

/** Declares types with fields, for the checker and the evaluator. */
export interface TypeProvider {
  /** Returns the type with a qualified name, undefined if there is none. */
  findType(name: string): CelType | undefined;
  /** Returns the type of a field, undefined if the type has no such field. */
  findField(typeName: string, field: string): CelType | undefined;
  /** Constructs `Name{field: value}`; without it, expressions cannot construct values. */
  construct?(typeName: string, fields: ReadonlyMap<string, Value>): Value;
}

/** A constant with its value. */
export interface ConstantDeclaration extends VariableDeclaration {
  readonly value: Value;
}

/** The declarations and settings that type checking reads. */
export interface Declarations {
  /** The namespace in which names are resolved first. */
  readonly container: string;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  readonly constants: ReadonlyMap<string, ConstantDeclaration>;
  readonly typeProviders: readonly TypeProvider[];
  readonly options: { readonly crossTypeComparisons?: boolean };
}
