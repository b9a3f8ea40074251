import {
  CompileError,
  type CelType,
  type Environment,
  EvaluationError,
  kubernetesEnvironment,
  Program,
  type Value,
} from '@annex/cel';

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

/** Compiles an expression, which must return one of the types, or any type if none is named. */
export function compileExpression(
  environment: Environment,
  source: string,
  returns: readonly CelType[] = [],
): Expression {
  try {
    const checked = environment.compile(source);
    const type = checked.resultType;
    if (returns.length > 0 && !returns.some((allowed) => String(allowed) === String(type))) {
      return { source, error: returnTypeError(returns, type) };
    }
    return {
      source,
      type,
      program: new Program(checked, environment, { costLimit: maxPolicyExpressionCost }),
    };
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

  constructor(limit: number) {
    this.#left = limit;
  }

  /** Throws {@link OutOfBudget} if the cost exceeds the rest. */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw new OutOfBudget();
  }
}

/** The expressions of one object exceed their common cost limit. */
export class OutOfBudget extends Error {
  constructor() {
    super('validation failed due to running out of cost budget, no further validation rules will be run');
  }
}

/** Evaluates an expression and returns its value or its error. Throws {@link OutOfBudget}. */
export function evaluate(
  { source, program, error }: Expression,
  activation: Activation,
  budget: Budget,
): { value: Value } | { error: string; cause: string } {
  if (program === undefined) {
    const cause = `compilation error: ${error}`;
    return { error: cause, cause };
  }
  try {
    const { value, cost } = program.evaluate(activation);
    budget.spend(cost);
    return { value };
  } catch (thrown) {
    if (!(thrown instanceof EvaluationError)) throw thrown;
    budget.spend(thrown.cost);
    return { error: `expression '${source}' resulted in error: ${thrown.message}`, cause: thrown.message };
  }
}
