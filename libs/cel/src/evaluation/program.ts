import type { Environment } from '../environment.ts';
import { EvaluationError, Failure } from '../errors.ts';
import type { CheckedExpr } from '../typing/checked.ts';
import type { Value } from '../values/value.ts';
import { Compiler } from './compiler.ts';
import { type Code, Frame } from './frame.ts';

/** How evaluations are bounded. */
export interface ProgramOptions {
  /** What one evaluation may cost at most, unless it is given a limit of its own. */
  readonly costLimit?: number;
}

/** The value of an evaluation and what it has cost. */
export interface Outcome {
  readonly value: Value;
  readonly cost: number;
}

/** A compiled expression, which can be evaluated any number of times. */
export class Program {
  readonly #code: Code;
  readonly #names: readonly (readonly [string, number])[];
  readonly #slotCount: number;
  readonly #costLimit: number;

  constructor(checked: CheckedExpr, environment: Environment, options: ProgramOptions = {}) {
    const compiler = new Compiler(checked, environment);
    this.#code = compiler.compile(checked.expr, new Map());
    this.#names = [...compiler.variables];
    this.#slotCount = compiler.slotCount;
    this.#costLimit = options.costLimit ?? Infinity;
  }

  /** The value for given variables; throws an `EvaluationError` when there is none, or when it would cost more than the limit. */
  evaluate(variables: Readonly<Record<string, Value>> = {}, costLimit = this.#costLimit): Outcome {
    const slots = new Array<Value | undefined>(this.#slotCount);
    for (const [name, slot] of this.#names)
      slots[slot] = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const frame = new Frame(slots, costLimit);
    try {
      const value = this.#code(frame);
      frame.checkCost();
      return { value, cost: frame.cost };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      frame.checkCost();
      throw new EvaluationError(error.message, frame.cost);
    }
  }
}
