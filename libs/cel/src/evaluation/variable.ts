import { fail, Failure } from '../errors.ts';
import type { Code, Frame } from './frame.ts';
import { attempt, type Step } from './step.ts';

/** Compiles a variable of the environment. */
export function variableStep(name: string, index: number): Step {
  const make =
    (cost: number): Code =>
    (frame) => {
      frame.cost += cost;
      const value = frame.variables[index];
      return value === undefined ? fail(`no such attribute(s): ${name}`) : value;
    };
  return { code: make(1), attribute: { resolve: make(0), unit: 1 } };
}

/** Compiles a variable of a comprehension; `init` computes its value on first use. */
export function localStep(name: string, slot: number, init: Code | undefined): Step {
  const missing = (frame: Frame) => {
    if (!init) return fail(`no such attribute(s): ${name}`);
    return (frame.slots[slot] = attempt(init, frame));
  };
  const make =
    (cost: number): Code =>
    (frame) => {
      frame.cost += cost;
      const known = frame.slots[slot];
      const value = known === undefined ? missing(frame) : known;
      if (value instanceof Failure) throw value;
      return value;
    };
  const outcome = (frame: Frame) => {
    frame.cost += 1;
    const known = frame.slots[slot];
    return known === undefined ? missing(frame) : known;
  };
  return {
    code: make(1),
    outcome,
    attribute: { resolve: make(0), unit: 1 },
  };
}
