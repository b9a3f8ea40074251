import { fail, Failure } from '../errors.ts';
import { formatValue } from '../values/format.ts';
import { Optional } from '../values/optional.ts';
import type { Value } from '../values/value.ts';
import type { Code, Frame } from './frame.ts';
import { attributeStep, resolveOf, type Step } from './step.ts';

/** The value of a node, or the error that it ended with. */
export function attempt(code: Code, frame: Frame): Value | Failure {
  try {
    return code(frame);
  } catch (error) {
    return failureOf(error);
  }
}

/** What was thrown, if it is an error of the expression. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** `&&` (false decides) and `||` (true decides): the deciding value on either side absorbs an error on the other. */
export function logical(left: Code, right: Code, deciding: boolean): Code {
  return (frame) => {
    const first = attempt(left, frame);
    if (first === deciding) return deciding;
    const second = attempt(right, frame);
    if (second === deciding) return deciding;
    if (first instanceof Failure) throw first;
    if (typeof first !== 'boolean') return fail('no such overload');
    if (second instanceof Failure) throw second;
    return typeof second === 'boolean' ? second : fail('no such overload');
  };
}

/** Whether a fold goes on: not only a true accumulator but also an error may still be absorbed. */
export function notStrictlyFalse(operand: Code): Code {
  return (frame) => {
    frame.cost++;
    return attempt(operand, frame) !== false;
  };
}

/** `condition ? then : otherwise`, which costs nothing itself. */
export function conditional([condition, then, otherwise]: readonly Step[]): Step {
  const decides = condition!.code;
  const a = resolveOf(then!);
  const b = resolveOf(otherwise!);
  return attributeStep((frame) => {
    const decision = decides(frame);
    return decision === true ? a(frame) : decision === false ? b(frame) : fail('no such overload');
  }, 0);
}

/** `optional.or(other)`, `optional.orValue(other)`: the argument is evaluated when there is no value, and the call costs nothing. */
export function alternative(optional: Code, other: Code, unwrap: boolean): Code {
  return (frame) => {
    const value = optional(frame);
    if (!(value instanceof Optional)) return value;
    if (!value.present) return other(frame);
    return unwrap ? value.value : value;
  };
}

/** The value of an optional element or entry, undefined when it is absent; others are as they are. */
export function present(value: Value, optional: boolean, what: string): Value | undefined {
  if (!optional) return value;
  if (value instanceof Optional) return value.present ? value.value : undefined;
  return fail(`cannot initialize optional ${what} from non-optional value ${formatValue(value)}`);
}
