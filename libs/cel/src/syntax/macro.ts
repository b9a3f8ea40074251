import type { Value } from '../values/value.ts';
import type { Comprehension, Expr } from './expr.ts';

/** A call that the parser replaces by an expansion. */
export interface Macro {
  readonly name: string;
  readonly member: boolean;
  /** The number of arguments; -1 for any number. */
  readonly args: number;
  /** Returns the expansion; undefined keeps the call. */
  expand(build: MacroBuilder, args: readonly Expr[], target: Expr | undefined): Expr | undefined;
}

/** Creates the nodes of an expansion, all at the offset of the macro. */
export interface MacroBuilder {
  literal(value: Value): Expr;
  ident(name: string): Expr;
  call(name: string, ...args: readonly Expr[]): Expr;
  member(target: Expr, name: string, ...args: readonly Expr[]): Expr;
  list(...elements: readonly Expr[]): Expr;
  map(...entries: readonly (readonly [Expr, Expr])[]): Expr;
  presence(operand: Expr, field: string): Expr;
  fold(parts: Omit<Comprehension, 'kind' | 'id' | 'offset'>): Expr;
  /** Creates a fold over an empty list that binds a value to a name in the result. */
  bind(name: string, value: Expr, result: Expr): Expr;
  /** Copies an expression that the expansion contains twice. */
  copy(expr: Expr): Expr;
  /** Ends the expansion with an error at one of its arguments. */
  fail(at: Expr, message: string): never;
}
