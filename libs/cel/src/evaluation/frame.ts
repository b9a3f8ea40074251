import type { Passes } from '@annex/machinery';
import { EvaluationError, type Failure } from '../errors.ts';
import type { Value } from '../values/value.ts';
import type { Known } from './known.ts';
import { pauseEvaluation } from './pause.ts';

/** The content of a slot: undefined, a value, or for an accumulator the error of a step. */
export type Slot = Value | Failure | undefined;

/** The share of a pass: iterations check the time after each `cost`, and end the pass when it took longer than `ms`. */
export interface PassLimit {
  readonly cost: number;
  readonly ms: number;
}

const noSlots: Slot[] = [];

/** The state of one evaluation: its variables, those of comprehensions by slot, and its cost so far. */
export class Frame {
  cost = 0;
  readonly variables: readonly (Value | undefined)[];
  readonly slots: Slot[];
  readonly limit: number;
  /** What earlier passes have computed, for an evaluation that was paused. */
  known: Known | undefined;
  readonly #pass: PassLimit;
  #checkAt: number;
  #began = 0;

  constructor(
    variables: readonly (Value | undefined)[],
    slotCount: number,
    limit: number,
    pass: PassLimit = atOnce,
  ) {
    this.variables = variables;
    this.slots = slotCount === 0 ? noSlots : new Array<Slot>(slotCount);
    this.limit = limit;
    this.#pass = pass;
    this.#checkAt = Math.min(limit, pass.cost);
  }

  /** Throws an `EvaluationError`, which no operator absorbs, if the cost exceeds the limit. */
  checkLimit(): void {
    if (this.cost > this.limit)
      throw new EvaluationError('operation cancelled: actual cost limit exceeded', this.cost, {
        cancelled: true,
      });
  }

  /** Like `checkLimit`, but also pauses the evaluation at the end of a pass. */
  checkCost(): void {
    if (this.cost > this.#checkAt) this.#check();
  }

  #check(): void {
    this.checkLimit();
    this.#checkTime();
    this.#checkAt = Math.min(this.limit, this.cost + this.#pass.cost);
  }

  #checkTime(): void {
    const now = performance.now();
    // The clock starts at the first check: most evaluations are shorter.
    if (this.#began === 0) this.#began = now;
    if (now - this.#began >= this.#pass.ms) pauseEvaluation();
  }

  /** Finishes the work of a call, or pauses the evaluation at the end of a pass. */
  finish(work: Passes<Value>): Value {
    for (;;) {
      const { done, value } = work.next();
      if (done === true) return value;
      this.#checkTime();
    }
  }

  /** Starts again from the root for another pass, which ends at the earliest beyond the last one. */
  startPass(known: Known): void {
    this.#checkAt = Math.min(this.limit, this.cost + this.#pass.cost);
    this.#began = performance.now();
    this.cost = 0;
    this.known = known;
  }
}

/** An evaluation that is not divided. */
export const atOnce: PassLimit = { cost: Infinity, ms: Infinity };

/** A compiled node, which returns the value or throws a `Failure`. */
export type Code = (frame: Frame) => Value;
