import { EvaluationError, type Failure } from '../errors.ts';
import type { Value } from '../values/value.ts';

/** What a variable holds: nothing, its value, or for an accumulator the error that a step ended with. */
export type Slot = Value | Failure | undefined;

/** The state of one evaluation: its variables by slot, and what it has cost so far. */
export class Frame {
  cost = 0;
  readonly slots: Slot[];
  readonly limit: number;

  constructor(slots: Slot[], limit: number) {
    this.slots = slots;
    this.limit = limit;
  }

  /** Ends the evaluation, past everything that absorbs errors, when it has cost more than it may. */
  checkCost(): void {
    if (this.cost > this.limit)
      throw new EvaluationError('operation cancelled: actual cost limit exceeded', this.cost, {
        cancelled: true,
      });
  }
}

/** A compiled node. */
export type Code = (frame: Frame) => Value;
