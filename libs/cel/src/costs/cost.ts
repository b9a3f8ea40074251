import type { Expr } from '../syntax/expr.ts';
import type { CelType } from '../typing/type.ts';
import type { Value } from '../values/value.ts';
import type { Range } from './range.ts';

/** The estimated cost of a call without the cost of its arguments, and the size of its result if known. */
export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}

/** An expression, or a part of its value, for which a cost or size is estimated. */
export interface CostNode {
  /** The path from a variable to the value, with `@items`, `@indices`, `@keys`, `@values`; empty for other values. */
  readonly path: readonly string[];
  readonly type: CelType;
  readonly expr?: Expr;
  /** The size, if the expression or the `SizeEstimator` defines it. */
  readonly size?: Range;
}

/** A call for which a cost is estimated. */
export interface CostCall {
  readonly name: string;
  readonly overload: string;
  readonly target: CostNode | undefined;
  /** The arguments without the receiver. */
  readonly args: readonly CostNode[];
  /** Returns the size of the node, else that from the `SizeEstimator`, else `unknownRange`. */
  size(node: CostNode): Range;
}

/** The cost of calls of a function; an undefined result selects the default cost. */
export interface CallCost {
  /** Estimates the cost before the evaluation, from sizes. */
  estimate?(call: CostCall): CallEstimate | undefined;
  /**
   * Returns the cost after the call. The receiver is the first argument, `null` replaces an error, and `overload` is empty
   * if the types did not select one.
   */
  actual?(args: readonly Value[], result: Value, overload: string): number | undefined;
}

/** Returns the size of a value if a schema limits it. */
export type SizeEstimator = (node: CostNode) => Range | undefined;
