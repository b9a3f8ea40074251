import { fail, Failure } from '../errors.ts';
import { Optional } from '../values/optional.ts';
import type { Value } from '../values/value.ts';
import type { Code, Frame } from './frame.ts';

/** The value of a node, or the error that it ended with. */
export function attempt(code: Code, frame: Frame): Value | Failure {
  try {
    return code(frame);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** `&&` and `||`: the deciding value on either side absorbs an error on the other. */
export function logical(left: Code, right: Code, deciding: boolean, frame: Frame): boolean {
  const first = attempt(left, frame);
  if (first === deciding) return deciding;
  const second = attempt(right, frame);
  if (second === deciding) return deciding;
  if (first instanceof Failure) throw first;
  if (typeof first !== 'boolean') return fail('no such overload');
  if (second instanceof Failure) throw second;
  return typeof second === 'boolean' ? second : fail('no such overload');
}

/** Whether a fold goes on: not only a true accumulator but also an error may still be absorbed. */
export function notStrictlyFalse(operand: Code): Code {
  return (frame) => {
    frame.cost++;
    return attempt(operand, frame) !== false;
  };
}

/** Adds an element, unless it is optional and absent. */
export function addElement(elements: Value[], value: Value, optional: boolean): void {
  if (!optional) elements.push(value);
  else if (!(value instanceof Optional))
    fail('cannot initialize optional element from a value that is not optional');
  else if (value.present) elements.push(value.value);
}
