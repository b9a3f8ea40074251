import type { CallCost } from '../costs/cost.ts';
import { comparisonCost } from '../costs/standard-costs.ts';
import { Failure } from '../errors.ts';
import { equals } from '../values/equality.ts';
import type { Value } from '../values/value.ts';
import { attempt, failureOf } from './step.ts';
import type { Code } from './frame.ts';

/** Compiles `==` or, if negated, `!=`. The cost depends on the size of the smaller operand. */
export function equality(left: Code, right: Code, negated: boolean, cost: CallCost | undefined): Code {
  const actual = cost?.actual;
  const overload = negated ? 'not_equals' : 'equals';
  return (frame) => {
    let a: Value | undefined;
    let b: Value | undefined;
    let failure: Failure | undefined;
    try {
      a = left(frame);
      b = right(frame);
    } catch (error) {
      failure = failureOf(error);
      // The right operand is evaluated so that its cost is added.
      if (a === undefined) b = valueOf(attempt(right, frame));
      [a, b] = [a ?? null, b ?? null];
    }
    const result = !failure && equals(a, b) !== negated;
    frame.cost += actual?.([a, b], failure ? null : result, overload) ?? comparisonCost(a, b);
    if (failure) throw failure;
    return result;
  };
}

function valueOf(outcome: Value | Failure): Value {
  return outcome instanceof Failure ? null : outcome;
}
