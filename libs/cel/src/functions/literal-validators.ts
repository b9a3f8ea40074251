import type { Environment } from '../environment.ts';
import type { Validator } from './library.ts';
import { succeeds } from '../errors.ts';
import { Program } from '../evaluation/program.ts';
import { EvaluationError } from '../errors.ts';
import type { Call, Literal } from '../syntax/expr.ts';
import { type Issue, Source } from '../syntax/source.ts';
import { compilePattern } from './pattern.ts';

/** Returns true if a call with a literal as its first argument is valid. */
type Check = (literal: Literal, call: Call, environment: Environment) => boolean;

const none: readonly Issue[] = [];

function literalArgument(name: string, isValid: Check): Validator {
  return {
    issuesOf(call, _checked, environment) {
      if (call.kind !== 'call' || call.name !== name) return none;
      const [literal] = call.args;
      if (literal?.kind !== 'literal' || isValid(literal, call, environment)) return none;
      return [{ offset: literal.offset, message: `invalid ${name} argument` }];
    },
  };
}

const canBeEvaluated: Check = (_, call, environment) => {
  try {
    new Program(environment.unchecked({ source: new Source(''), expr: call }), environment).evaluate();
    return true;
  } catch (error) {
    if (error instanceof EvaluationError) return false;
    throw error;
  }
};

const isPattern: Check = ({ value }) => typeof value !== 'string' || succeeds(() => compilePattern(value));

/** Find invalid durations, timestamps and patterns in literals. */
export const literalValidators: readonly Validator[] = [
  literalArgument('duration', canBeEvaluated),
  literalArgument('timestamp', canBeEvaluated),
  literalArgument('matches', isPattern),
];
