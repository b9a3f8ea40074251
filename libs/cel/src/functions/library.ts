import type { Validator } from '../environment.ts';
import type { Macro } from '../syntax/macro.ts';
import type { FunctionDeclaration, VariableDeclaration } from '../typing/declarations.ts';
import type { CelType } from '../typing/type.ts';
import type { Value } from '../values/value.ts';

/** A part of an environment: functions with implementations and costs, types, constants, macros. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  /** Types that expressions can reference: `type(x) == net.IP`. */
  readonly types?: readonly CelType[];
  readonly constants?: readonly ConstantDeclaration[];
  readonly macros?: readonly Macro[];
  readonly validators?: readonly Validator[];
  /** Functions whose literal arguments can have elements of several types under `homogeneousLiterals`. */
  readonly mixedLiteralsIn?: readonly string[];
}

/** A constant with its value. */
export interface ConstantDeclaration extends VariableDeclaration {
  readonly value: Value;
}
