import type { Expr } from './expr.ts';

/** An expression and all that is in it, each before its parts. */
export function descendants(expr: Expr): readonly Expr[] {
  const found: Expr[] = [];
  const add = (part: Expr): void => {
    found.push(part);
    partsOf(part).forEach(add);
  };
  add(expr);
  return found;
}

/** The expressions that one is made of. */
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
