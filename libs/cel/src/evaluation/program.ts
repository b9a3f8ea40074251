import type { Environment } from '../environment.ts';
import { EvaluationError, Failure } from '../errors.ts';
import type { CheckedExpr } from '../typing/checked.ts';
import type { Value } from '../values/value.ts';
import { Compiler } from './compiler.ts';
import { type Code, Frame } from './frame.ts';

/** The limits of a program's evaluations. */
export interface ProgramOptions {
  /** The maximum cost of one evaluation, if the call of `evaluate` sets no limit. */
  readonly costLimit?: number;
}

/** The value and the cost of an evaluation. */
export interface EvaluationResult {
  readonly value: Value;
  readonly cost: number;
}

/**
 * A compiled expression, which can be evaluated any number of times. The constructor evaluates conversions of constants, and
 * throws an `EvaluationError` if one of them fails.
 */
export class Program {
  readonly #code: Code;
  readonly #names: readonly (readonly [string, number])[];
  readonly #slotCount: number;
  readonly #costLimit: number;

  constructor(checked: CheckedExpr, environment: Environment, options: ProgramOptions = {}) {
    const compiler = new Compiler(checked, environment);
    this.#code = compile(compiler, checked);
    this.#names = [...compiler.variables];
    this.#slotCount = compiler.slotCount;
    this.#costLimit = options.costLimit ?? Infinity;
  }

  /** Evaluates with these variables; throws an `EvaluationError` if the evaluation fails or exceeds the limit. */
  evaluate(variables: Readonly<Record<string, Value>> = {}, costLimit = this.#costLimit): EvaluationResult {
    const slots = new Array<Value | undefined>(this.#slotCount);
    for (const [name, slot] of this.#names)
      slots[slot] = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const frame = new Frame(slots, costLimit);
    try {
      const value = this.#code(frame);
      frame.checkCost();
      return { value, cost: frame.cost };
    } catch (error) {
      if (error instanceof EvaluationError) throw error;
      frame.checkCost();
      throw evaluationError(error, frame.cost);
    }
  }
}

/** Compiles the expression. Errors of constant subexpressions become errors of the program. */
function compile(compiler: Compiler, { expr }: CheckedExpr): Code {
  try {
    return compiler.compile(expr).code;
  } catch (error) {
    throw evaluationError(error, 0);
  }
}

/** Converts an error of the expression, or an unexpected error of an implementation. */
function evaluationError(error: unknown, cost: number): EvaluationError {
  if (error instanceof Failure) return new EvaluationError(error.message, cost);
  const message = `internal error: ${error instanceof Error ? error.message : String(error)}`;
  return new EvaluationError(message, cost, { cause: error });
}
