import { Failure } from '../errors.ts';
import type { Value } from '../values/value.ts';
import type { Code, Frame } from './frame.ts';

/** What a node compiles to. */
export interface Step {
  /** Evaluates the node; what that costs is added to the frame. */
  readonly code: Code;
  /** The same with an error as the outcome; only where that is cheaper than to catch it. */
  readonly outcome?: Outcome;
  /** The value, when it is known without an evaluation. */
  readonly constant?: Value;
  /** The element of a list literal that has just one, which is no constant. */
  readonly element?: Code;
  /** Of what fields can be selected from on the way: variables, selections, indices, conditionals. */
  readonly attribute?: Attribute;
}

/** Evaluates a node to its value or to the error that it ends with. */
export type Outcome = (frame: Frame) => Value | Failure;

/** A value that further selections are part of: the whole path costs one unit, each selection another. */
export interface Attribute {
  /** Evaluates the path without the unit for the whole. */
  readonly resolve: Code;
  readonly unit: number;
}

export function constantStep(constant: Value): Step {
  return { code: () => constant, constant };
}

/** A path; `make` gives its code with a cost for the whole. */
export function attributeStep(make: (unit: number) => Code, unit: number): Step {
  const resolve = make(0);
  return { code: unit === 0 ? resolve : make(unit), attribute: { resolve, unit } };
}

/** The node as the start of a path. */
export function attributeOf(step: Step): Attribute {
  return step.attribute ?? { resolve: step.code, unit: 1 };
}

/** The node as a part of another path, which pays the unit. */
export function resolveOf(step: Step): Code {
  return step.attribute?.resolve ?? step.code;
}

export function outcomeOf({ code, outcome }: Step): Outcome {
  return outcome ?? ((frame) => attempt(code, frame));
}

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
