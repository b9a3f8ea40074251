import type { Validator } from '../functions/library.ts';
import { Failure } from '../errors.ts';
import type { Call, Expr, ListLiteral } from '../syntax/expr.ts';
import type { Issue } from '../syntax/source.ts';
import type { CheckedExpr } from '../typing/checked.ts';
import { type CelType, types } from '../typing/type.ts';
import { type Clause, parseFormat } from './format-clauses.ts';
import { prefixFormatErrors, type Formatter, failClauseType } from './formatter.ts';

/** Finds errors in `'literal'.format([literals])`. */
export const checkFormatCalls = (formatter: Formatter): Validator => ({
  issuesOf(expr, checked) {
    if (expr.kind !== 'call' || expr.name !== 'format' || expr.target?.kind !== 'literal') return [];
    const [args] = expr.args;
    const { value } = expr.target;
    return args?.kind === 'list' && typeof value === 'string'
      ? callIssues(formatter, expr, value, args, checked)
      : [];
  },
});

function callIssues(
  formatter: Formatter,
  call: Call,
  format: string,
  { elements }: ListLiteral,
  checked: CheckedExpr,
): readonly Issue[] {
  let used = 0;
  let at: Expr = call;
  try {
    parseFormat(format, (clause) => {
      const arg = elements[used];
      if (!arg) throw new Failure(`index ${used} out of range`);
      used++;
      const invalid = clause && invalidPart(arg, clause.verb, formatter, checked);
      if (!invalid) return '';
      at = invalid;
      return prefixFormatErrors(() => failClauseType(formatter, clause, typeOf(invalid, checked).name));
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [{ offset: at.offset, message: error.message }];
  }
  if (elements.length <= used) return [];
  const counts = `expected ${used}, got ${elements.length}`;
  return [{ offset: call.offset, message: `too many arguments supplied to string.format (${counts})` }];
}

/** Returns the part of an argument that the clause does not accept: the argument, or an element of a literal. */
function invalidPart(
  expr: Expr,
  verb: Clause['verb'],
  formatter: Formatter,
  checked: CheckedExpr,
): Expr | undefined {
  const { kind } = typeOf(expr, checked);
  if (kind !== 'dyn' && !formatter.expectations[verb].kinds.has(kind)) return expr;
  if (verb !== 's') return undefined;
  const parts =
    expr.kind === 'list'
      ? expr.elements
      : expr.kind === 'map'
        ? expr.entries.flatMap(({ key, value }) => [key, value])
        : [];
  for (const part of parts) {
    const invalid = invalidPart(part, verb, formatter, checked);
    if (invalid) return invalid;
  }
  return undefined;
}

function typeOf(expr: Expr, checked: CheckedExpr): CelType {
  return checked.types.get(expr.id) ?? types.dyn;
}
