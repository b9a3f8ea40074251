import type { Issue, Source } from './syntax/source.ts';

/** Reports an invalid expression; the message contains every error with its line and column. */
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

/** The error that ended an evaluation. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError';
  /** True if the cost limit ended the evaluation, so that the result of the expression is unknown. */
  readonly cancelled: boolean;
  /** The cost up to the error. */
  readonly cost: number;

  constructor(message: string, cost: number, options: ErrorOptions & { readonly cancelled?: boolean } = {}) {
    super(message, options);
    this.cost = cost;
    this.cancelled = options.cancelled ?? false;
  }
}

/**
 * An error of a function or operator, which `&&`, `||`, `all` and `exists` can absorb. Implementations throw it. It does not
 * extend `Error`: an evaluation can throw a million of them, and none needs a stack trace.
 */
export class Failure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** Returns false if the function throws a {@link Failure}. */
export function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** Throws a `Failure`. */
export function fail(message: string): never {
  throw new Failure(message);
}
