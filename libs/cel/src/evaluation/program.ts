import { finish, type Passes } from '@annex/machinery';
import type { Environment } from '../environment.ts';
import { EvaluationError, Failure } from '../errors.ts';
import { inPasses } from '../syntax/visit-in-passes.ts';
import type { CheckedExpr } from '../typing/checked.ts';
import type { Value } from '../values/value.ts';
import { Compiler } from './compiler.ts';
import { atOnce, type Code, Frame, type PassLimit } from './frame.ts';
import type { Known } from './known.ts';
import { Pause } from './pause.ts';

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

/** The code of a program, and the names of its variables by index. */
interface Compiled {
  readonly code: Code;
  readonly names: readonly string[];
  readonly slotCount: number;
}

/**
 * A compiled expression, which can be evaluated any number of times. The constructor evaluates conversions of constants, and
 * throws an `EvaluationError` if one of them fails.
 */
export class Program {
  readonly #compiled: Compiled;
  readonly #costLimit: number;

  constructor(
    checked: CheckedExpr,
    environment: Environment,
    options: ProgramOptions = {},
    compiled = finish(compile(checked, environment)),
  ) {
    this.#compiled = compiled;
    this.#costLimit = options.costLimit ?? Infinity;
  }

  /** Creates a program in passes over the expression; throws like the constructor. */
  static *inPasses(
    checked: CheckedExpr,
    environment: Environment,
    options?: ProgramOptions,
  ): Passes<Program> {
    return new Program(checked, environment, options, yield* compile(checked, environment));
  }

  /** Evaluates with these variables; throws an `EvaluationError` if the evaluation fails or exceeds the limit. */
  evaluate(variables: Variables = {}, costLimit = this.#costLimit): EvaluationResult {
    const begun = this.begin(variables, costLimit, atOnce);
    return begun instanceof PausedEvaluation ? begun.finish() : begun;
  }

  /**
   * Evaluates like `evaluate`, unless it takes longer than a pass: then it returns the paused evaluation. A short evaluation costs
   * nothing more.
   */
  begin(
    variables: Variables,
    costLimit = this.#costLimit,
    pass = passLimit,
  ): EvaluationResult | PausedEvaluation {
    const { code, slotCount } = this.#compiled;
    const values = this.#valuesOf(variables);
    const result = run(code, new Frame(values, slotCount, costLimit, pass));
    if (result !== undefined) return result;
    return new PausedEvaluation(code, new Frame(values, slotCount, costLimit, pass));
  }

  /** Evaluates in passes; throws like `evaluate`. */
  *evaluateInPasses(variables: Variables, costLimit = this.#costLimit): Passes<EvaluationResult> {
    const begun = this.begin(variables, costLimit);
    if (!(begun instanceof PausedEvaluation)) return begun;
    for (;;) {
      yield;
      const result = begun.proceed();
      if (result !== undefined) return result;
    }
  }

  #valuesOf(variables: Variables): (Value | undefined)[] {
    const values: (Value | undefined)[] = [];
    for (const name of this.#compiled.names)
      values.push(Object.hasOwn(variables, name) ? variables[name] : undefined);
    return values;
  }
}

type Variables = Readonly<Record<string, Value>>;

/** A hundred cost units take about three microseconds, unless they are for large values or errors. */
const passLimit: PassLimit = { cost: 100, ms: 5 };

/** An evaluation that is divided into passes. */
export class PausedEvaluation {
  readonly #code: Code;
  readonly #frame: Frame;
  readonly #known: Known = new Map();

  constructor(code: Code, frame: Frame) {
    this.#code = code;
    this.#frame = frame;
  }

  /** Evaluates for another pass; returns undefined if it does not reach the end. Throws like `Program.evaluate`. */
  proceed(): EvaluationResult | undefined {
    this.#frame.startPass(this.#known);
    return run(this.#code, this.#frame);
  }

  /** Evaluates to the end. */
  finish(): EvaluationResult {
    for (;;) {
      const result = this.proceed();
      if (result !== undefined) return result;
    }
  }
}

/** Evaluates the code; returns undefined if it is paused. */
function run(code: Code, frame: Frame): EvaluationResult | undefined {
  try {
    const value = code(frame);
    frame.checkLimit();
    return { value, cost: frame.cost };
  } catch (error) {
    if (error instanceof Pause) return undefined;
    if (error instanceof EvaluationError) throw error;
    frame.checkLimit();
    throw evaluationError(error, frame.cost);
  }
}

/** Compiles the expression. Errors of constant subexpressions become errors of the program. */
function* compile(checked: CheckedExpr, environment: Environment): Passes<Compiled> {
  const compiler = new Compiler(checked, environment);
  try {
    const { code } = yield* inPasses(compiler.compile(checked.expr));
    return { code, names: [...compiler.variables.keys()], slotCount: compiler.slotCount };
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
