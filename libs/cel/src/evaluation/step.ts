import { Failure } from '../errors.ts';
import type { Value } from '../values/value.ts';
import type { Code, Frame } from './frame.ts';

/** The compiled forms of a node. */
export interface Step {
  /** Evaluates the node and adds its cost to the frame. */
  readonly code: Code;
  /** Like `code`, but returns errors; present only where that is cheaper than catching them. */
  readonly outcome?: OutcomeCode;
  /** The value, if it is constant. */
  readonly constant?: Value;
  /** The only element of a list literal, if it is not constant. */
  readonly element?: Code;
  /** Present for nodes that further selections extend: variables, selections, indices, conditionals. */
  readonly attribute?: Attribute;
}

/** Evaluates a node and returns its value or its error. */
export type OutcomeCode = (frame: Frame) => Value | Failure;

/** A chain of selections: the chain costs one unit, and each selection one more. */
export interface Attribute {
  /** Evaluates the chain without the unit of the whole chain. */
  readonly resolve: Code;
  readonly unit: number;
}

export function constantStep(constant: Value): Step {
  return { code: () => constant, constant };
}

/** Creates the step of a chain; `make` returns its code with a cost for the whole chain. */
export function attributeStep(make: (unit: number) => Code, unit: number): Step {
  const resolve = make(0);
  return { code: unit === 0 ? resolve : make(unit), attribute: { resolve, unit } };
}

/** Returns the node as the start of a chain. */
export function attributeOf(step: Step): Attribute {
  return step.attribute ?? { resolve: step.code, unit: 1 };
}

/** Returns the code of the node within another chain, which is charged the unit. */
export function resolveOf(step: Step): Code {
  return step.attribute?.resolve ?? step.code;
}

export function outcomeOf({ code, outcome }: Step): OutcomeCode {
  return outcome ?? ((frame) => attempt(code, frame));
}

/** Evaluates a node and returns its value or the `Failure` that it throws. */
export function attempt(code: Code, frame: Frame): Value | Failure {
  try {
    return code(frame);
  } catch (error) {
    return failureOf(error);
  }
}

/** Returns the error if it is a `Failure`; rethrows other errors. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}
