import type { Expr } from './expr.ts';

/** Copies an expression with new node ids, for an expansion that contains an argument twice. */
export function copyExpr(expr: Expr, nextId: () => number): Expr {
  const copy = (part: Expr) => copyExpr(part, nextId);
  const id = nextId();
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return { ...expr, id };
    case 'select':
      return { ...expr, id, operand: copy(expr.operand) };
    case 'call':
      return { ...expr, id, args: expr.args.map(copy), ...(expr.target && { target: copy(expr.target) }) };
    case 'list':
      return { ...expr, id, elements: expr.elements.map(copy) };
    case 'map': {
      const entries = expr.entries.map((e) => ({
        ...e,
        id: nextId(),
        key: copy(e.key),
        value: copy(e.value),
      }));
      return { ...expr, id, entries };
    }
    case 'struct':
      return { ...expr, id, fields: expr.fields.map((f) => ({ ...f, id: nextId(), value: copy(f.value) })) };
    case 'comprehension': {
      const { range, init, condition, step, result } = expr;
      const parts = { range: copy(range), init: copy(init), condition: copy(condition), step: copy(step) };
      return { ...expr, id, ...parts, result: copy(result) };
    }
  }
}
