import type { Value } from '../values/value.ts';

/** The fields of every syntax tree node: an id that is unique in its tree, and the start of its text (UTF-16 offset). */
interface Node {
  readonly id: number;
  readonly offset: number;
}

/** A literal. */
export interface Literal extends Node {
  readonly kind: 'literal';
  readonly value: Value;
}

/** An identifier: a variable, a type or, after checking, a constant of the environment. */
export interface Ident extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`, or with `testOnly` the presence test `has(operand.field)`. */
export interface Select extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly testOnly: boolean;
}

/** A call of a function or an operator (`_+_`, `_[_]`, ...); with a target, of a member function. */
export interface Call extends Node {
  readonly kind: 'call';
  readonly name: string;
  readonly target?: Expr;
  readonly args: readonly Expr[];
}

/** `[a, ?b]`; `optional` contains the indices of elements that are omitted if their value is absent. */
export interface ListLiteral extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expr[];
  readonly optional: ReadonlySet<number>;
}

/** An entry `key: value` or `?key: value` of a map. */
export interface MapEntry extends Node {
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

/** The map literal `{key: value}`. */
export interface MapLiteral extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** A field `field: value` or `?field: value` of a message. */
export interface StructField extends Node {
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** The message literal `TypeName{field: value}`. */
export interface StructLiteral extends Node {
  readonly kind: 'struct';
  readonly typeName: string;
  readonly fields: readonly StructField[];
}

/** The fold that macros such as `all` expand to. */
export interface Comprehension extends Node {
  readonly kind: 'comprehension';
  readonly range: Expr;
  readonly variable: string;
  /** The second variable of two-variable comprehensions. */
  readonly variable2?: string;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/**
 * A syntax tree as the specification defines it.
 * https://github.com/google/cel-spec/blob/master/proto/cel/expr/syntax.proto
 */
export type Expr = Literal | Ident | Select | Call | ListLiteral | MapLiteral | StructLiteral | Comprehension;

/** The accumulator of the standard macros; the syntax has no identifier with this name. */
export const accumulatorName = '@result';
