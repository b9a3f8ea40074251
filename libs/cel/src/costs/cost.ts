import type { Expr } from '../syntax/expr.ts';
import type { CelType } from '../typing/type.ts';
import type { Value } from '../values/value.ts';

/** What a size or a cost lies between, both ends included; `Infinity` when there is no bound. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The estimate of a call: its cost without that of its arguments and, where known, the size of its result. */
export interface CallEstimate {
  readonly cost: Range;
  readonly resultSize?: Range;
}

/** A part of an expression as estimators see it. */
export interface CostNode {
  /** Variable and fields that lead to the value, with `@items`, `@keys`, `@values`; undefined when nothing does. */
  readonly path: readonly string[] | undefined;
  readonly type: CelType;
  readonly expr: Expr;
  /** The size, when the expression itself tells it. */
  readonly size: Range | undefined;
}

/** A call as estimators see it. */
export interface CostCall {
  readonly name: string;
  readonly overload: string;
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  /** The size of one of the nodes: as computed, by the `SizeEstimator`, or unknown (0 to `Infinity`). */
  size(node: CostNode): Range;
}

/** What calls of a function cost; undefined as a result stands for what the engine takes them to cost. */
export interface CallCost {
  /** Before the evaluation, from what is known about sizes. */
  estimate?(call: CostCall): CallEstimate | undefined;
  /** After the call, from its arguments (the receiver first) and its result. */
  actual?(args: readonly Value[], result: Value): number | undefined;
}

/** Tells the sizes of values that only the owner of a schema knows. */
export type SizeEstimator = (node: CostNode) => Range | undefined;
