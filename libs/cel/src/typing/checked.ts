import type { Expr } from '../syntax/expr.ts';
import type { Source } from '../syntax/source.ts';
import type { Value } from '../values/value.ts';
import type { CelType } from './type.ts';

/** A parsed expression, which is not type-checked yet. */
export interface ParsedExpr {
  readonly source: Source;
  readonly expr: Expr;
}

/** The declarations that a node references: a variable, a constant or type with its value, or overloads. */
export interface Reference {
  readonly name?: string;
  readonly value?: Value;
  readonly overloads?: readonly string[];
}

/** A type-checked expression, with resolved names and the type of each node. */
export interface CheckedExpr extends ParsedExpr {
  readonly resultType: CelType;
  /** The types by node id. */
  readonly types: ReadonlyMap<number, CelType>;
  /** The references by node id. */
  readonly references: ReadonlyMap<number, Reference>;
}
