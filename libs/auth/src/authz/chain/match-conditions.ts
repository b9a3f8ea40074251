import {
  authorizationEnvironment,
  CompileError,
  EvaluationError,
  Program,
  types,
  type Value,
} from '@annex/cel';
import { type FieldError, fieldErrors, type FieldPath, type Passes } from '@annex/machinery';
import { aggregateText } from '../../aggregate-text.ts';
import type { AccessReviewSpec } from '../access-review-spec.ts';

/** One of `matchConditions`, compiled. */
export interface MatchCondition {
  expression: string;
  program: Program;
}

/** Whether a webhook applies to a request; or the evaluation error. */
export type MatchOutcome = { matches: boolean } | { error: string };

/** Match conditions of one webhook. Source: kube-apiserver. */
export const maxMatchConditions = 64;
/** CEL cost limit of one match condition. */
export const maxMatchConditionCost = 1_000_000;

/** Compiles conditions, in passes; returns kube-apiserver's field errors for invalid ones. */
export function* compileMatchConditions(
  expressions: readonly string[],
  at: FieldPath,
): Passes<{ conditions: MatchCondition[]; errors: FieldError[] }> {
  if (expressions.length > maxMatchConditions) {
    return { conditions: [], errors: [fieldErrors.tooMany(at, expressions.length, maxMatchConditions)] };
  }
  const conditions: MatchCondition[] = [];
  const errors: FieldError[] = [];
  for (const [i, expression] of expressions.entries()) {
    const path = at.index(i).child('expression');
    if (expression.trim() === '') errors.push(fieldErrors.required(path));
    else if (expressions.indexOf(expression) < i) errors.push(fieldErrors.duplicate(path, expression));
    else {
      yield;
      const compiled = yield* compile(expression, path);
      if ('program' in compiled) conditions.push(compiled);
      else errors.push(compiled);
    }
  }
  return { conditions, errors };
}

function* compile(expression: string, at: FieldPath): Passes<MatchCondition | FieldError> {
  try {
    const checked = yield* authorizationEnvironment.compileInPasses(expression);
    if (String(checked.resultType) !== String(types.bool)) {
      return fieldErrors.invalid(at, expression, `must evaluate to bool but got ${checked.resultType}`);
    }
    return {
      expression,
      program: new Program(checked, authorizationEnvironment, { costLimit: maxMatchConditionCost }),
    };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return fieldErrors.invalid(at, expression, `compilation failed: ${error.message}`);
  }
}

/** A single false condition excludes a webhook, whatever the other conditions evaluate to. */
export function* matchOutcome(
  conditions: readonly MatchCondition[],
  spec: AccessReviewSpec,
): Passes<MatchOutcome> {
  const request = requestValue(spec);
  const errors: string[] = [];
  for (const { expression, program } of conditions) {
    try {
      const { value } = yield* program.evaluateInPasses({ request });
      if (value !== true) return { matches: false };
    } catch (error) {
      if (!(error instanceof EvaluationError)) throw error;
      errors.push(`cel evaluation error: expression '${expression}' resulted in error: ${error.message}`);
    }
  }
  return errors.length > 0 ? { error: aggregateText(errors) } : { matches: true };
}

const emptyAttributes = {
  namespace: '',
  verb: '',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  name: '',
};

/** Expressions can read every string, also an empty one. */
function requestValue({ resourceAttributes, nonResourceAttributes, ...subject }: AccessReviewSpec): Value {
  return {
    user: '',
    groups: [],
    uid: '',
    extra: {},
    ...subject,
    ...(resourceAttributes ? { resourceAttributes: { ...emptyAttributes, ...resourceAttributes } } : {}),
    ...(nonResourceAttributes
      ? { nonResourceAttributes: { path: '', verb: '', ...nonResourceAttributes } }
      : {}),
  } as unknown as Value;
}
