import type { CallCost, CostCall, CostNode } from '../costs/cost.ts';
import { costFactors } from '../costs/factors.ts';
import { addRanges, exactly, multiplyRanges, type Range, scaleRange } from '../costs/range.ts';
import { sizeOf } from '../costs/size.ts';
import { declare } from '../typing/declare.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import { elements, isList, isMap, mapFind, mapKeys } from '../values/container.ts';
import type { Value } from '../values/value.ts';

// What kube takes calls to cost: k8s.io/apiserver/pkg/cel/library/cost.go. A change would change which rules are accepted.

/** A function whose calls cost the same, whatever the overload. */
export const costing = (
  cost: CallCost,
  name: string,
  ...overloads: readonly Overload[]
): FunctionDeclaration => ({
  ...declare(name, ...overloads),
  cost,
});

/** A call of a fixed cost. */
export const fixed = (cost: number): CallCost => ({
  estimate: () => ({ cost: exactly(cost) }),
  actual: () => cost,
});

/** Reading a part of a value. */
export const nominal = fixed(1);

/** Goes `times` over the text that is the first argument of `name(text)`. */
export const textArgument = (times = 1): CallCost => ({
  estimate: ({ args, size }) => (args[0] ? { cost: traversal(size(args[0]), times) } : undefined),
  actual: ([text]) => actualTraversal(text!, times),
});

/** Goes over the text that is the first argument, and returns one as long. */
export const convertedArgument: CallCost = {
  estimate({ args, size }) {
    if (args.length !== 1) return undefined;
    const resultSize = size(args[0]!);
    return { cost: traversal(resultSize), resultSize };
  },
  actual: ([text]) => actualTraversal(text!),
};

/** Goes over the receiver, and returns a text no longer. */
export const convertedReceiver: CallCost = {
  estimate({ target, size }) {
    if (!target) return undefined;
    const resultSize = size(target);
    return { cost: traversal(resultSize), resultSize };
  },
  actual: ([text]) => actualTraversal(text!),
};

/** Compares the elements of a list, or goes over a text. */
export const elementwise: CallCost = {
  estimate({ target, size }) {
    if (!target) return undefined;
    const element = elementOf(target);
    if (!element) return { cost: traversal(size(target)) };
    const { kind } = element.type;
    const textual = kind === 'string' || kind === 'bytes';
    const each = textual ? addRanges(exactly(1), traversal(size(element))) : exactly(1);
    return { cost: multiplyRanges(size(target), each) };
  },
  actual: ([list]) => deepTraversal(list!),
};

/** The elements of a list as estimators see them. */
export function elementOf(list: CostNode): CostNode | undefined {
  const [type] = list.type.parameters;
  return type && { path: list.path.length > 0 ? [...list.path, '@items'] : [], type };
}

/** What searching a text for a pattern costs. */
export const patternSearch: CallCost = {
  estimate({ target, args, size }: CostCall) {
    if (!target || !args[0]) return undefined;
    const text = size(target);
    const perPattern = scaleRange(size(args[0]), costFactors.pattern);
    const cost = multiplyRanges(traversal(addRanges(text, exactly(1))), perPattern);
    return { cost, resultSize: { min: 0, max: text.max } };
  },
  actual: ([text, pattern]) => patternCost(sizeOf(text!), sizeOf(pattern!)),
};

/** What applying a pattern of a length to a text of a length costs. */
export function patternCost(text: number, pattern: number): number {
  return Math.ceil((1 + text) * costFactors.text) * Math.ceil(pattern * costFactors.pattern);
}

/** What going over a text costs before its length is known. */
export function traversal(size: Range, times = 1): Range {
  return scaleRange(size, times * costFactors.text);
}

/** What going over a text has cost. */
export function actualTraversal(text: Value, times = 1): number {
  return Math.ceil(sizeOf(text) * times * costFactors.text);
}

/** What going over all texts in a value has cost; anything else costs one unit. */
function deepTraversal(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8.encode(value).length * costFactors.text);
  if (value instanceof Uint8Array) return Math.floor(value.length * costFactors.text);
  if (isList(value)) return sum(elements(value).map(deepTraversal));
  if (!isMap(value)) return 1;
  return sum(Array.from(mapKeys(value), (key) => deepTraversal(key) + deepTraversal(mapFind(value, key)!)));
}

const utf8 = new TextEncoder();
const sum = (costs: readonly number[]): number => costs.reduce((total, cost) => total + cost, 0);
