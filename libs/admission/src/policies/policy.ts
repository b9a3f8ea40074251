import {
  admissionEnvironment,
  type CelType,
  type Environment,
  LazyVariables,
  fail,
  pauseEvaluation,
  types,
  type Value,
} from '@annex/cel';
import type { Passes } from '@annex/machinery';
import {
  type Activation,
  Budget,
  compileExpression,
  evaluate,
  type Expression,
  type Outcome,
  OutOfBudget,
} from './expression.ts';
import type { NamedExpression, PolicySpec } from './policy-spec.ts';

/** A named expression: a match condition or a variable. */
export interface Named extends Expression {
  name: string;
}

/** The variables of a policy, and the environments of the expressions that can use them. */
export interface PolicyVariables {
  /** The environment of expressions, with or without the authorizer. */
  environment: Environment;
  plainEnvironment: Environment;
  /** The environment of mutations, which can also call the authorizer. */
  mutationEnvironment: Environment;
  variables: readonly Named[];
}

/** The environments and expressions of a policy. */
export interface PolicyExpressions extends PolicyVariables {
  matchConditions: readonly Named[];
}

/** Compiles the common parts of policies, in passes of one expression. */
export function* compilePolicy(spec: PolicySpec): Passes<PolicyExpressions> {
  const variables = yield* compileVariables(spec);
  const matchConditions = yield* compileConditions(variables.environment, spec.matchConditions);
  return { ...variables, matchConditions };
}

/** Compiles variables, in passes of one expression. Each variable can use the variables before it. */
export function* compileVariables(spec: PolicySpec): Passes<PolicyVariables> {
  const params = spec.paramKind !== undefined && spec.paramKind !== null;
  const known = new Map<string, CelType>();
  const hasVariables = (spec.variables ?? []).length > 0;
  const environmentOf = (authorizer: boolean, mutations = false): Environment =>
    admissionEnvironment({
      params,
      authorizer,
      mutations,
      // Mutations know `variables` without any, other expressions do not.
      ...(hasVariables || mutations ? { variables: known } : {}),
    });
  const variables: Named[] = [];
  for (const { name, expression } of spec.variables ?? []) {
    const compiled = yield* compileExpression(environmentOf(true), expression);
    if (expression.trim() !== '') known.set(name, compiled.type ?? types.dyn);
    variables.push({ name, ...compiled });
    yield;
  }
  return {
    environment: environmentOf(true),
    plainEnvironment: environmentOf(false),
    mutationEnvironment: environmentOf(true, true),
    variables,
  };
}

/** Compiles match conditions, in passes of one expression. */
export function* compileConditions(
  environment: Environment,
  conditions: readonly NamedExpression[] | null | undefined,
): Passes<Named[]> {
  const compiled: Named[] = [];
  for (const { name, expression } of conditions ?? []) {
    compiled.push({ name, ...(yield* compileExpression(environment, expression, [types.bool])) });
    yield;
  }
  return compiled;
}

/**
 * Returns the variables of the expressions of one phase: the provided values, and composited variables, which
 * are evaluated at their first use.
 */
export function activationOf(variables: readonly Named[], provided: Activation, budget: Budget): Activation {
  const activation: Record<string, Value> = { ...provided };
  activation.variables = new LazyVariables(
    new Map(variables.map((variable) => [variable.name, valueOf(variable, activation, budget)])),
  );
  return activation;
}

/** Returns the function that evaluates a variable. It pauses the expression that uses the variable in the same passes. */
function valueOf(variable: Named, activation: Activation, budget: Budget): () => Value {
  let begun: Passes<Outcome> | undefined;
  return () => {
    if (variable.error !== undefined) {
      return fail(`composited variable "${variable.name}" fails to compile: ${variable.error}`);
    }
    const passes = begun ?? evaluate(variable, activation, budget);
    begun = undefined;
    const { done, value: outcome } = passes.next();
    if (done !== true) {
      begun = passes;
      return pauseEvaluation();
    }
    return 'value' in outcome
      ? outcome.value
      : fail(`composited variable "${variable.name}" fails to evaluate: ${outcome.cause}`);
  };
}

/** Returns whether all conditions are true. A false condition takes precedence over errors of others. */
export function* checkConditions(
  conditions: readonly Named[],
  provided: Activation,
  variables: readonly Named[] = [],
): Passes<{ matches: boolean } | { error: string }> {
  if (conditions.length === 0) return { matches: true };
  const budget = new Budget(maxConditionsCost);
  const activation = activationOf(variables, provided, budget);
  const errors = new Set<string>();
  try {
    for (const condition of conditions) {
      const outcome = yield* evaluate(condition, activation, budget);
      if ('error' in outcome) errors.add(outcome.error);
      else if (outcome.value === false) return { matches: false };
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return { error: error.message };
    throw error;
  }
  const all = [...errors].join(', ');
  if (errors.size === 0) return { matches: true };
  return { error: errors.size === 1 ? all : `[${all}]` };
}

/** The maximum common cost of the match conditions of a policy or a webhook. */
export const maxConditionsCost = 2_500_000;
/** The maximum common cost of the other expressions of a policy. */
export const maxPolicyCost = 10_000_000;
