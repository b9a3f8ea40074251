import type { Expr } from '../syntax/expr.ts';
import type { CelType } from '../typing/type.ts';
import type { Value } from '../values/value.ts';
import type { Range } from './range.ts';

/** The estimate of a call: its cost without that of its arguments and, where known, the size of its result. */
export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}

/** A part of an expression, or of a value in it, as estimators see it. */
export interface CostNode {
  /** Variable and fields that lead to the value, with `@items`, `@indices`, `@keys`, `@values`; empty when nothing does. */
  readonly path: readonly string[];
  readonly type: CelType;
  readonly expr?: Expr;
  /** The size, when it is known from the expression or from the `SizeEstimator`. */
  readonly size?: Range;
}

/** A call as estimators see it. */
export interface CostCall {
  readonly name: string;
  readonly overload: string;
  readonly target: CostNode | undefined;
  /** The arguments without the receiver. */
  readonly args: readonly CostNode[];
  /** The size of a node: its own, that of the `SizeEstimator`, or what is unknown. */
  size(node: CostNode): Range;
}

/** What calls of a function cost; undefined as a result stands for what the engine takes them to cost. */
export interface CallCost {
  /** Before the evaluation, from what is known about sizes. */
  estimate?(call: CostCall): CallEstimate | undefined;
  /**
   * After the call, from its arguments (the receiver first) and its result, where null stands for errors; the overload is '' when
   * types left it open.
   */
  actual?(args: readonly Value[], result: Value, overload: string): number | undefined;
}

/** Tells the sizes of values that only the owner of a schema knows. */
export type SizeEstimator = (node: CostNode) => Range | undefined;
