import type { Issue, Source } from './syntax/source.ts';

/** A source text that is no valid expression; the message shows every mistake with its line and column. */
export class CompileError extends Error {
  override readonly name = 'CompileError';
  readonly issues: readonly Issue[];
  readonly source: Source;

  constructor(source: Source, issues: readonly Issue[]) {
    super(source.display(issues));
    this.source = source;
    this.issues = issues;
  }
}

/** What an evaluation ended with instead of a value. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
  /** The cost limit was reached: the evaluation was cancelled, nothing was found out about the expression. */
  readonly cancelled: boolean;
  /** What the evaluation has cost until it ended. */
  readonly cost: number;

  constructor(message: string, cost: number, options: ErrorOptions & { readonly cancelled?: boolean } = {}) {
    super(message, options);
    this.cost = cost;
    this.cancelled = options.cancelled ?? false;
  }
}

/**
 * An error of a function or an operator, which `&&`, `||`, `all` and `exists` may absorb. It is thrown by implementations and is no
 * `Error`: an expression may meet a million of them, and none needs a stack.
 */
export class Failure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Ends the evaluation of a function or operator with an error. */
export function fail(message: string): never {
  throw new Failure(message);
}
