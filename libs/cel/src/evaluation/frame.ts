import { EvaluationError, type Failure } from '../errors.ts';
import type { Value } from '../values/value.ts';

/** The content of a variable: undefined, its value, or for an accumulator the error of a step. */
export type Slot = Value | Failure | undefined;

/** The state of one evaluation: its variables by slot, and its cost so far. */
export class Frame {
  cost = 0;
  readonly slots: Slot[];
  readonly limit: number;

  constructor(slots: Slot[], limit: number) {
    this.slots = slots;
    this.limit = limit;
  }

  /** Throws an `EvaluationError`, which no operator absorbs, if the cost exceeds the limit. */
  checkCost(): void {
    if (this.cost > this.limit)
      throw new EvaluationError('operation cancelled: actual cost limit exceeded', this.cost, {
        cancelled: true,
      });
  }
}

/** A compiled node, which returns the value or throws a `Failure`. */
export type Code = (frame: Frame) => Value;
