import type { CallCost } from '../costs/cost.ts';
import { comparisonCost } from '../costs/standard-costs.ts';
import { Failure } from '../errors.ts';
import { equals } from '../values/equality.ts';
import { attempt } from './control.ts';
import type { Code } from './frame.ts';

/** `==` and, negated, `!=`: of values of all types, paid for by the size of the smaller one. */
export function equality(left: Code, right: Code, negated: boolean, cost: CallCost | undefined): Code {
  const actual = cost?.actual;
  const overload = negated ? 'not_equals' : 'equals';
  return (frame) => {
    const first = attempt(left, frame);
    const second = attempt(right, frame);
    const failure = first instanceof Failure ? first : second instanceof Failure ? second : undefined;
    const a = first instanceof Failure ? null : first;
    const b = second instanceof Failure ? null : second;
    const result = !failure && equals(a, b) !== negated;
    frame.cost += actual?.([a, b], failure ? null : result, overload) ?? comparisonCost(a, b);
    if (failure) throw failure;
    return result;
  };
}
