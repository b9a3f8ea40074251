import type { Expr } from './expr.ts';

/** Returns an expression and its descendants, each before its parts. */
export function descendants(expr: Expr): readonly Expr[] {
  const found: Expr[] = [];
  const add = (part: Expr): void => {
    found.push(part);
    partsOf(part).forEach(add);
  };
  add(expr);
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
