import type { CallCost, CallEstimate, CostCall, CostNode } from '../costs/cost.ts';
import { baseCosts, costFactors } from '../costs/factors.ts';
import { addRanges, exactly, multiplyRanges, type Range, scaleRange, unbounded } from '../costs/range.ts';
import { sizeOf } from '../costs/size.ts';
import { elementAt, isList } from '../values/container.ts';
import type { Value } from '../values/value.ts';

const dispatch = 1 + baseCosts.list;

/** Estimates the cost of creating a list: proportional to its size. */
function allocation(factor: number, size: Range): CallEstimate {
  return { cost: addRanges(scaleRange(size, factor), exactly(dispatch)), resultSize: size };
}

const allocated = (factor: number, size: number) => Math.trunc(size * factor) + dispatch;

/** Returns the number of a literal, at least 0; `otherwise` for other expressions. */
function literalOr({ expr }: CostNode, otherwise: number): number {
  if (expr?.kind !== 'literal') return otherwise;
  const { value } = expr;
  if (typeof value === 'bigint') return value < 0n ? 0 : Number(value);
  return typeof value === 'number' && Number.isSafeInteger(value) ? Math.max(value, 0) : otherwise;
}

/** The cost of creating the result. */
export const outputCost: CallCost['actual'] = (_, result) => allocated(1, sizeOf(result));

export const sliceCost: CallCost = {
  estimate({ target, args: [start, end], size }) {
    const length = literalOr(end!, size(target!).max) - literalOr(start!, 0);
    return allocation(1, exactly(length < 0 ? length + unbounded : length));
  },
  actual: outputCost,
};

export const rangeCost: CallCost = {
  estimate: ({ args: [count] }) => allocation(1, exactly(literalOr(count!, unbounded))),
  actual: outputCost,
};

export const reverseCost: CallCost = {
  estimate: ({ target, size }) => allocation(1, size(target!)),
  actual: outputCost,
};

export const flattenCost: CallCost = {
  estimate({ target, args: [depth], size }) {
    return allocation(depth ? literalOr(depth, unbounded) : 1, size(target!));
  },
  actual: ([list, depth]) => allocated(typeof depth === 'number' ? depth : 1, sizeOf(list!)),
};

/** The cost of comparing each key with each other key; string keys cost more. */
export function sortCost(keys: (call: CostCall) => CostNode, textual: boolean, argument: number): CallCost {
  return {
    estimate(call) {
      const size = call.size(keys(call));
      return allocation(textual ? 2 + costFactors.text : 2, multiplyRanges(size, size));
    },
    actual: (args) => selfComparison(args[argument]!),
  };
}

export const distinctCost: CallCost = {
  estimate({ target, size }) {
    const of = size(target!);
    return allocation(2, multiplyRanges(of, of));
  },
  actual: ([list]) => selfComparison(list!),
};

function selfComparison(list: Value): number {
  // cel-go panics if the list is an error, which ends the evaluation: no operator absorbs it.
  if (!isList(list))
    throw new TypeError('interface conversion: *types.Err is not traits.Lister: missing method Add');
  const size = sizeOf(list);
  const first = list.length > 0 ? elementAt(list, 0) : undefined;
  const textual = typeof first === 'string' || first instanceof Uint8Array;
  return allocated(textual ? 2 + costFactors.text : 2, size * size);
}
