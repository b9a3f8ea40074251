import type { Expr } from './expr.ts';
import { type Recursion, visit } from './visit-in-passes.ts';

/** Returns an expression and its descendants, each before its parts, except for nodes that are skipped, and those below them. */
export function* descendants(
  expr: Expr,
  isSkipped: (expr: Expr) => boolean = () => false,
  found: Expr[] = [],
): Recursion<readonly Expr[]> {
  if (isSkipped(expr)) return found;
  found.push(expr);
  for (const part of partsOf(expr)) yield* visit(descendants(part, isSkipped, found));
  return found;
}

/** Returns the direct subexpressions of an expression. */
export function partsOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case 'list':
      return expr.elements;
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'struct':
      return expr.fields.map(({ value }) => value);
    case 'comprehension':
      return [expr.range, expr.init, expr.condition, expr.step, expr.result];
  }
}
