import type { Expr } from '../syntax/expr.ts';
import type { Source } from '../syntax/source.ts';
import type { Value } from '../values/value.ts';
import type { CelType } from './type.ts';

/** An expression whose text is well-formed. */
export interface ParsedExpr {
  readonly source: Source;
  readonly expr: Expr;
}

/** What a node refers to: a variable, a constant or type with its value, or overloads of a function. */
export interface Reference {
  readonly name?: string;
  readonly value?: Value;
  readonly overloads?: readonly string[];
}

/** An expression whose types agree; names in it are resolved, and each node has its type. */
export interface CheckedExpr extends ParsedExpr {
  readonly resultType: CelType;
  /** By the ids of nodes. */
  readonly types: ReadonlyMap<number, CelType>;
  /** By the ids of nodes. */
  readonly references: ReadonlyMap<number, Reference>;
}
