import { fail, Failure } from '../errors.ts';
import { formatValue } from '../values/format.ts';
import { Optional } from '../values/optional.ts';
import type { Value } from '../values/value.ts';
import type { Code } from './frame.ts';
import { attributeStep, type OutcomeCode, outcomeOf, resolveOf, type Step } from './step.ts';

const noOverload = new Failure('no such overload');

/** Compiles `&&` (false decides) and `||` (true decides): the deciding value of either operand absorbs an error of the other. */
export function logical(operands: readonly Step[], deciding: boolean): Step {
  const [left, right] = operands.map(outcomeOf) as [OutcomeCode, OutcomeCode];
  const outcome: OutcomeCode = (frame) => {
    const first = left(frame);
    if (first === deciding) return deciding;
    const second = right(frame);
    if (second === deciding) return deciding;
    if (first !== !deciding) return first instanceof Failure ? first : noOverload;
    return second === !deciding || second instanceof Failure ? second : noOverload;
  };
  return { outcome, code: throwing(outcome) };
}

/** Converts an outcome to code that throws the error. */
function throwing(outcome: OutcomeCode): Code {
  return (frame) => {
    const value = outcome(frame);
    if (value instanceof Failure) throw value;
    return value;
  };
}

/** Compiles a loop condition that is false only for the value false: a later step can still absorb an error. */
export function notStrictlyFalse(operand: Step): Code {
  const outcome = outcomeOf(operand);
  return (frame) => {
    frame.cost++;
    return outcome(frame) !== false;
  };
}

/** Compiles `condition ? then : otherwise`; the operator itself costs nothing. */
export function conditional([condition, then, otherwise]: readonly Step[]): Step {
  const decides = condition!.code;
  const a = resolveOf(then!);
  const b = resolveOf(otherwise!);
  const code: Code = (frame) => {
    const decision = decides(frame);
    return decision === true ? a(frame) : decision === false ? b(frame) : fail('no such overload');
  };
  return attributeStep(() => code, 0);
}

/**
 * Compiles `optional.or(other)` and `optional.orValue(other)`: `other` is evaluated only if the optional is empty; the call
 * costs nothing.
 */
export function alternative(optional: Code, other: Code, unwrap: boolean): Code {
  return (frame) => {
    const value = optional(frame);
    if (!(value instanceof Optional)) return value;
    if (!value.present) return other(frame);
    return unwrap ? value.value : value;
  };
}

/** Unwraps the value of an optional element or entry, undefined if it is absent; returns other values unchanged. */
export function present(value: Value, optional: boolean, what: string): Value | undefined {
  if (!optional) return value;
  if (value instanceof Optional) return value.present ? value.value : undefined;
  return fail(`cannot initialize optional ${what} from non-optional value ${formatValue(value)}`);
}
