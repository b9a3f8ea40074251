import {
  claimsEnvironment,
  CompileError,
  type Environment,
  EvaluationError,
  type Expr,
  partsOf,
  Program,
  types,
  userEnvironment,
  type Value,
} from '@annex/cel';
import { type FieldError, fieldErrors, type FieldPath, type Passes } from '@annex/machinery';

/** An expression on the claims of a token or on a user. */
export interface JwtExpression {
  source: string;
  expr: Expr;
  /** Evaluates in passes; throws an {@link ExpressionError}. */
  evaluate(variables: Readonly<Record<string, Value>>): Passes<Value>;
}

/** CEL cost limit of one expression: tokens are small, and every client can send one. */
export const maxClaimExpressionCost = 1_000_000;

const environments = { claims: claimsEnvironment, user: userEnvironment };

/** Compiles an expression; returns kube-apiserver's field error if it is invalid. */
export function compileJwtExpression(
  source: string,
  variable: keyof typeof environments,
  { at, bool = false }: { at: FieldPath; bool?: boolean },
): JwtExpression | FieldError {
  const environment: Environment = environments[variable];
  try {
    const checked = environment.compile(source);
    if (bool && checked.resultType !== types.bool) {
      return fieldErrors.invalid(at, source, 'must evaluate to bool');
    }
    const program = new Program(checked, environment, { costLimit: maxClaimExpressionCost });
    return { source, expr: checked.expr, evaluate: (variables) => evaluate(source, program, variables) };
  } catch (error) {
    if (error instanceof CompileError)
      return fieldErrors.invalid(at, source, `compilation failed: ${error.message}`);
    if (error instanceof EvaluationError) {
      return fieldErrors.internal(at, `program instantiation failed: ${error.message}`);
    }
    throw error;
  }
}

/** An expression has no value for this token. */
export class ExpressionError extends Error {}

function* evaluate(
  source: string,
  program: Program,
  variables: Readonly<Record<string, Value>>,
): Passes<Value> {
  try {
    return (yield* program.evaluateInPasses(variables)).value;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    throw new ExpressionError(`expression '${source}' resulted in error: ${error.message}`);
  }
}

/** True if an expression reads this field of `claims`. */
export function readsClaim(expr: Expr, field: string): boolean {
  const isClaims = (of: Expr) => of.kind === 'ident' && of.name === 'claims';
  if (expr.kind === 'select' && expr.field === field && isClaims(expr.operand)) return true;
  if (expr.kind === 'call' && expr.name === '_?._') {
    const [of, name] = expr.args;
    if (of && isClaims(of) && name?.kind === 'literal' && name.value === field) return true;
  }
  return partsOf(expr).some((part) => readsClaim(part, field));
}
