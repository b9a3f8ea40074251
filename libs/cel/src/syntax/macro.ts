import type { Value } from '../values/value.ts';
import type { Comprehension, Expr } from './expr.ts';

/** A call that the parser replaces by what it stands for. */
export interface Macro {
  readonly name: string;
  readonly member: boolean;
  /** How many arguments it has; -1 for any number. */
  readonly args: number;
  /** The replacement; undefined leaves the call as it is. */
  expand(build: MacroBuilder, args: readonly Expr[], target: Expr | undefined): Expr | undefined;
}

/** Makes the nodes of an expansion, which are all where the macro is. */
export interface MacroBuilder {
  literal(value: Value): Expr;
  ident(name: string): Expr;
  call(name: string, ...args: readonly Expr[]): Expr;
  member(target: Expr, name: string, ...args: readonly Expr[]): Expr;
  list(...elements: readonly Expr[]): Expr;
  map(...entries: readonly (readonly [Expr, Expr])[]): Expr;
  presence(operand: Expr, field: string): Expr;
  fold(parts: Omit<Comprehension, 'kind' | 'id' | 'offset'>): Expr;
  /** The fold of nothing that gives a name to a value: its result is that of the expression in which the name is used. */
  bind(name: string, value: Expr, result: Expr): Expr;
  /** The same expression once more. */
  copy(expr: Expr): Expr;
  /** Ends the expansion with a mistake at one of its arguments. */
  fail(at: Expr, message: string): never;
}
