import type { CallCost, CostCall, CostNode } from '../costs/cost.ts';
import { costFactors } from '../costs/factors.ts';
import { addRanges, exactly, multiplyRanges, type Range, scaleRange } from '../costs/range.ts';
import { sizeOf } from '../costs/size.ts';
import { declare } from '../typing/declare.ts';
import type { FunctionDeclaration, Overload } from '../typing/declarations.ts';
import { elements, isList, isMap, mapFind, mapKeys } from '../values/container.ts';
import type { Value } from '../values/value.ts';

// The costs of calls in k8s.io/apiserver/pkg/cel/library/cost.go. A change would change which rules are accepted.

/** Declares a function with one cost for all overloads. */
export const costing = (
  cost: CallCost,
  name: string,
  ...overloads: readonly Overload[]
): FunctionDeclaration => ({
  ...declare(name, ...overloads),
  cost,
});

/** Returns a constant cost. */
export const fixedCost = (cost: number): CallCost => ({
  estimate: () => ({ cost: exactly(cost) }),
  actual: () => cost,
});

/** The cost of reading a part of a value. */
export const nominal = fixedCost(1);

/** The cost of traversing the argument of `name(text)` `times` times. */
export const textArgument = (times = 1): CallCost => ({
  estimate: ({ args, size }) => (args[0] ? { cost: traversal(size(args[0]), times) } : undefined),
  actual: ([text]) => actualTraversal(text!, times),
});

/** The cost of traversing the first argument; the result has the same size. */
export const convertedArgument: CallCost = {
  estimate({ args, size }) {
    if (args.length !== 1) return undefined;
    const resultSize = size(args[0]!);
    return { cost: traversal(resultSize), resultSize };
  },
  actual: ([text]) => actualTraversal(text!),
};

/** The cost of traversing the receiver; the result is not larger. */
export const convertedReceiver: CallCost = {
  estimate({ target, size }) {
    if (!target) return undefined;
    const resultSize = size(target);
    return { cost: traversal(resultSize), resultSize };
  },
  actual: ([text]) => actualTraversal(text!),
};

/** The cost of comparing the elements of a list, or of traversing a string. */
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

/** Returns the node of a list's elements; undefined if their type is unknown. */
export function elementOf(list: CostNode): CostNode | undefined {
  const [type] = list.type.parameters;
  return type && { path: list.path.length > 0 ? [...list.path, '@items'] : [], type };
}

/** The cost of searching a string for a pattern. */
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

/** Returns the cost of applying a pattern to a string, from their lengths. */
export function patternCost(text: number, pattern: number): number {
  return Math.ceil((1 + text) * costFactors.text) * Math.ceil(pattern * costFactors.pattern);
}

/** Estimates the cost of traversing a string from its size. */
export function traversal(size: Range, times = 1): Range {
  return scaleRange(size, times * costFactors.text);
}

/** Returns the cost of traversing a string. */
export function actualTraversal(text: Value, times = 1): number {
  return Math.ceil(sizeOf(text) * times * costFactors.text);
}

/** Returns the cost of traversing all strings in a value; other values cost one unit. */
function deepTraversal(value: Value): number {
  if (typeof value === 'string') return Math.floor(utf8.encode(value).length * costFactors.text);
  if (value instanceof Uint8Array) return Math.floor(value.length * costFactors.text);
  if (isList(value)) return sum(elements(value).map(deepTraversal));
  if (!isMap(value)) return 1;
  return sum(Array.from(mapKeys(value), (key) => deepTraversal(key) + deepTraversal(mapFind(value, key)!)));
}

const utf8 = new TextEncoder();
const sum = (costs: readonly number[]): number => costs.reduce((total, cost) => total + cost, 0);
