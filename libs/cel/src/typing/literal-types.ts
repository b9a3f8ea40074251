import type { Library, Validator } from '../functions/library.ts';
import type { Expr } from '../syntax/expr.ts';
import type { Issue } from '../syntax/source.ts';
import type { CheckedExpr } from './checked.ts';
import { type CelType, sameType, types } from './type.ts';

/** Returns a validator that reports list and map literals with elements, keys or values of several types. */
export function checkLiteralTypes(libraries: readonly Library[]): Validator {
  const exempt = new Set(libraries.flatMap((library) => library.mixedLiteralsIn ?? []));
  return {
    isExempt: (expr) => expr.kind === 'call' && exempt.has(expr.name),
    issuesOf(expr, checked) {
      if (expr.kind === 'list') return elementIssues(expr.elements.map(elementOf(checked, expr.optional)));
      if (expr.kind !== 'map') return [];
      const optional = new Set(expr.entries.flatMap((entry, i) => (entry.optional ? [i] : [])));
      const keys = expr.entries.map(({ key }) => key).map(elementOf(checked));
      const values = expr.entries.map(({ value }) => value).map(elementOf(checked, optional));
      return entryIssues(keys, values);
    },
  };
}

interface Element {
  readonly offset: number;
  readonly type: CelType;
}

const none: ReadonlySet<number> = new Set();

const elementOf =
  ({ types: all }: CheckedExpr, optional = none) =>
  ({ id, offset }: Expr, i: number): Element => {
    const type = all.get(id) ?? types.dyn;
    return { offset, type: optional.has(i) ? (type.parameters[0] ?? type) : type };
  };

/** Reports only the first element with a different type. */
function elementIssues(elements: readonly Element[]): readonly Issue[] {
  const [first] = elements;
  const different = elements.find(({ type }) => !sameType(first!.type, type));
  return different ? [mismatch(first!, different)] : [];
}

function entryIssues(keys: readonly Element[], values: readonly Element[]): readonly Issue[] {
  const issues: Issue[] = [];
  for (let i = 1; i < keys.length; i++) {
    if (!sameType(keys[0]!.type, keys[i]!.type)) issues.push(mismatch(keys[0]!, keys[i]!));
    if (!sameType(values[0]!.type, values[i]!.type)) issues.push(mismatch(values[0]!, values[i]!));
  }
  return issues;
}

function mismatch(expected: Element, { offset, type }: Element): Issue {
  return { offset, message: `expected type '${expected.type}' but found '${type}'` };
}
