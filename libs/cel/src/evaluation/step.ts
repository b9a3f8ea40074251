import type { Value } from '../values/value.ts';
import type { Code } from './frame.ts';

/** What a node compiles to. */
export interface Step {
  /** Evaluates the node; what that costs is added to the frame. */
  readonly code: Code;
  /** The value, when it is known without an evaluation. */
  readonly constant?: Value;
  /** Of what fields can be selected from on the way: variables, selections, indices, conditionals. */
  readonly attribute?: Attribute;
}

/** A value that further selections are part of: the whole path costs one unit, each selection another. */
export interface Attribute {
  /** Evaluates the path without the unit for the whole. */
  readonly resolve: Code;
  readonly unit: number;
}

export function constantStep(constant: Value): Step {
  return { code: () => constant, constant };
}

export function attributeStep(resolve: Code, unit: number): Step {
  const attribute = { resolve, unit };
  if (unit === 0) return { code: resolve, attribute };
  return { code: (frame) => ((frame.cost += unit), resolve(frame)), attribute };
}

/** The node as the start of a path. */
export function attributeOf(step: Step): Attribute {
  return step.attribute ?? { resolve: step.code, unit: 1 };
}

/** The node as a part of another path, which pays the unit. */
export function resolveOf(step: Step): Code {
  return step.attribute?.resolve ?? step.code;
}
