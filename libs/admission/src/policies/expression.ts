import {
  CompileError,
  type CelType,
  type Environment,
  EvaluationError,
  kubernetesEnvironment,
  Program,
  type Value,
} from '@annex/cel';
import type { Passes } from '@annex/machinery';

/** A compiled expression of a policy, or its compile error. */
export interface Expression {
  source: string;
  /** kube-apiserver's message, for field errors. */
  error?: string;
  program?: Program;
  type?: CelType;
}

/** The maximum cost of one evaluation of one expression. */
export const maxPolicyExpressionCost = 1_000_000;

/** Compiles an expression in passes. It must return one of the types, or any type if none is named. */
export function* compileExpression(
  environment: Environment,
  source: string,
  returns: readonly CelType[] = [],
): Passes<Expression> {
  try {
    const checked = yield* environment.compileInPasses(source);
    const type = checked.resultType;
    if (returns.length > 0 && !returns.some((allowed) => String(allowed) === String(type))) {
      return { source, error: returnTypeError(returns, type) };
    }
    const program = yield* Program.inPasses(checked, environment, { costLimit: maxPolicyExpressionCost });
    return { source, type, program };
  } catch (error) {
    if (error instanceof CompileError) return { source, error: `compilation failed: ${error.message}` };
    if (error instanceof EvaluationError) {
      return { source, error: `program instantiation failed: ${error.message}` };
    }
    throw error;
  }
}

function returnTypeError(returns: readonly CelType[], type: CelType): string {
  const names = returns.map((allowed) => allowed.fullName());
  return names.length === 1
    ? `must evaluate to ${names[0]} but got ${type.fullName()}`
    : `must evaluate to one of [${names.join(' ')}] but got ${type.fullName()}`;
}

/** Returns whether a text is a valid name of a variable. */
export function isIdentifier(text: string): boolean {
  if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(text)) return false;
  try {
    return kubernetesEnvironment.parse(text).expr.kind === 'ident';
  } catch {
    return false;
  }
}

/** The variables of an evaluation, by name. */
export type Activation = Readonly<Record<string, Value>>;

/** The cost that all expressions of one phase share. */
export class Budget {
  #left: number;
  #spent = 0;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** Throws {@link OutOfBudget} if the cost exceeds the rest. */
  spend(cost: number): void {
    this.#left -= cost;
    this.#spent += cost;
    if (this.#left < 0) throw new OutOfBudget();
  }

  /** Returns whether expressions after this one belong to the next pass. */
  endsPass(): boolean {
    if (this.#spent < passCost) return false;
    this.#spent = 0;
    return true;
  }
}

/** Expressions of this cost are evaluated in one pass; they take less than a millisecond. */
const passCost = 10_000;

/** The expressions of one object exceed their common cost limit. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** The value of an expression or its error. */
export type Outcome = { value: Value } | { error: string; cause: string };

/** Evaluates an expression. Throws {@link OutOfBudget}. */
export function* evaluate(
  { source, program, error }: Expression,
  activation: Activation,
  budget: Budget,
): Passes<Outcome> {
  if (budget.endsPass()) yield;
  if (program === undefined) {
    const cause = `compilation error: ${error}`;
    return { error: cause, cause };
  }
  try {
    const { value, cost } = yield* program.evaluateInPasses(activation);
    budget.spend(cost);
    return { value };
  } catch (thrown) {
    if (!(thrown instanceof EvaluationError)) throw thrown;
    budget.spend(thrown.cost);
    return { error: `expression '${source}' resulted in error: ${thrown.message}`, cause: thrown.message };
  }
}
