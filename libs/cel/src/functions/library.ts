import type { Validator } from '../environment.ts';
import type { Macro } from '../syntax/macro.ts';
import type { FunctionDeclaration, VariableDeclaration } from '../typing/declarations.ts';
import type { CelType } from '../typing/type.ts';
import type { Value } from '../values/value.ts';

/** What an environment is made of: functions with implementations and costs, types, constants, macros. */
export interface Library {
  readonly name: string;
  readonly functions?: readonly FunctionDeclaration[];
  /** Types that expressions can name: `type(x) == net.IP`. */
  readonly types?: readonly CelType[];
  readonly constants?: readonly ConstantDeclaration[];
  readonly macros?: readonly Macro[];
  readonly validators?: readonly Validator[];
  /** Functions in whose arguments literals may have elements of several types, where literals otherwise may not. */
  readonly mixedLiteralsIn?: readonly string[];
}

/** A name with a fixed value. */
export interface ConstantDeclaration extends VariableDeclaration {
  readonly value: Value;
}
