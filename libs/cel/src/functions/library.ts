import type { Environment } from '../environment.ts';
import type { Expr } from '../syntax/expr.ts';
import type { Macro } from '../syntax/macro.ts';
import type { Issue } from '../syntax/source.ts';
import type { CheckedExpr } from '../typing/checked.ts';
import type { ConstantDeclaration, FunctionDeclaration } from '../typing/declarations.ts';
import type { CelType } from '../typing/type.ts';

/** Finds errors that type checking does not detect, such as an invalid pattern. */
export interface Validator {
  /** Returns the errors of a node, without those of its parts. */
  issuesOf(expr: Expr, checked: CheckedExpr, environment: Environment): readonly Issue[];
  /** Returns true for a node that is not validated, and neither are its descendants. */
  isExempt?(expr: Expr): boolean;
}

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
