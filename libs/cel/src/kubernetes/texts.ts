import type { CallCost } from '../costs/cost.ts';
import { addRanges, multiplyRanges, type Range, unbounded } from '../costs/range.ts';
import type { Library } from '../functions/library.ts';
import { actualTraversal, convertedReceiver, costing, elementOf, traversal } from './call-costs.ts';

const replacement: CallCost = {
  estimate({ target, args, size }) {
    if (!target || !args[0] || !args[1]) return undefined;
    const text = size(target);
    return { cost: traversal(text, 2), resultSize: replacedSize(text, size(args[0]), size(args[1])) };
  },
  actual: ([text]) => actualTraversal(text!, 2),
};

const split: CallCost = {
  estimate({ target, args, size }) {
    if (!target) return undefined;
    const text = size(target);
    const limit = args[1]?.expr?.kind === 'literal' ? args[1].expr.value : undefined;
    // A negative limit counts as a huge unsigned number.
    const most = typeof limit === 'number' ? (limit < 0 ? unbounded : limit) : text.max;
    return { cost: traversal(text, 2), resultSize: { min: 0, max: most } };
  },
  actual: ([text]) => actualTraversal(text!, 2),
};

const join: CallCost = {
  estimate({ target, args, size }) {
    if (!target) return undefined;
    const list = size(target);
    const element = elementOf(target);
    let text: Range = element ? multiplyRanges(list, size(element)) : { min: 0, max: 0 };
    if (args[0]) {
      const gaps = { min: Math.max(list.min - 1, 0), max: Math.max(list.max - 1, 0) };
      text = addRanges(text, multiplyRanges(size(args[0]), gaps));
    }
    return { cost: traversal(text), resultSize: text };
  },
  actual: (_args, result) => actualTraversal(result, 2),
};

/** The costs of the string functions in Kubernetes. */
export const textCosts: Library = {
  name: 'kubernetes.texts',
  functions: [
    ...['lowerAscii', 'upperAscii', 'substring', 'trim'].map((name) => costing(convertedReceiver, name)),
    costing(replacement, 'replace'),
    costing(split, 'split'),
    costing(join, 'join'),
  ],
};

/** Returns the size of a string after a replacement. */
function replacedSize(text: Range, replaced: Range, by: Range): Range {
  let most = { count: 0, kept: 0 };
  // An empty string matches before, between and after all characters.
  if (replaced.min === 0) most = { count: Math.min(text.max + 1, unbounded), kept: text.max };
  else if (by.max <= replaced.min) most.kept = text.max;
  else most.count = Math.ceil(text.max / replaced.min);
  let least = { count: 0, kept: 0 };
  if (replaced.max === 0) least = { count: text.min + 1, kept: text.min };
  else if (replaced.max <= by.min) least.kept = text.min;
  else least.count = Math.ceil(text.min / replaced.max);
  const count = { min: least.count, max: most.count };
  return addRanges(multiplyRanges(count, by), { min: least.kept, max: most.kept });
}
