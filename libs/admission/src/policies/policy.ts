import {
  admissionEnvironment,
  type CelType,
  type Environment,
  LazyVariables,
  fail,
  types,
  type Value,
} from '@annex/cel';
import {
  type Activation,
  Budget,
  compileExpression,
  evaluate,
  type Expression,
  OutOfBudget,
} from './expression.ts';
import type { NamedExpression, PolicySpec } from './policy-spec.ts';

/** An expression with its name: a match condition or a variable. */
export interface Named extends Expression {
  name: string;
}

/** What a policy is evaluated with. */
export interface PolicyExpressions {
  /** Of expressions that may ask the authorizer, and of those that may not. */
  environment: Environment;
  plainEnvironment: Environment;
  /** Of mutations, which may ask it too. */
  mutationEnvironment: Environment;
  variables: readonly Named[];
  matchConditions: readonly Named[];
}

/** Compiles what all policies have; each variable knows those before it. */
export function compilePolicy(spec: PolicySpec): PolicyExpressions {
  const params = spec.paramKind !== undefined && spec.paramKind !== null;
  const known = new Map<string, CelType>();
  const hasVariables = (spec.variables ?? []).length > 0;
  const environmentOf = (authorizer: boolean, mutations = false): Environment =>
    admissionEnvironment({ params, authorizer, mutations, ...(hasVariables ? { variables: known } : {}) });
  const variables = (spec.variables ?? []).map(({ name, expression }) => {
    const compiled = compileExpression(environmentOf(true), expression);
    known.set(name, compiled.type ?? types.dyn);
    return { name, ...compiled };
  });
  const environment = environmentOf(true);
  return {
    environment,
    plainEnvironment: environmentOf(false),
    mutationEnvironment: environmentOf(true, true),
    variables,
    matchConditions: compileConditions(environment, spec.matchConditions),
  };
}

/** Compiles match conditions. */
export const compileConditions = (
  environment: Environment,
  conditions: readonly NamedExpression[] | null | undefined,
): Named[] =>
  (conditions ?? []).map(({ name, expression }) => ({
    name,
    ...compileExpression(environment, expression, [types.bool]),
  }));

/** What expressions of one phase see: what they are given, and the variables, which cost when they are first used. */
export function activationOf(variables: readonly Named[], provided: Activation, budget: Budget): Activation {
  const activation: Record<string, Value> = { ...provided };
  activation.variables = new LazyVariables(
    new Map(variables.map((variable) => [variable.name, () => valueOf(variable, activation, budget)])),
  );
  return activation;
}

function valueOf(variable: Named, activation: Activation, budget: Budget): Value {
  if (variable.error !== undefined) {
    return fail(`composited variable "${variable.name}" fails to compile: ${variable.error}`);
  }
  const outcome = evaluate(variable, activation, budget);
  return 'value' in outcome
    ? outcome.value
    : fail(`composited variable "${variable.name}" fails to evaluate: ${outcome.cause}`);
}

/** Whether all conditions hold. One that does not decides, whatever errors there are; else the errors do. */
export function checkConditions(
  conditions: readonly Named[],
  provided: Activation,
  variables: readonly Named[] = [],
): { matches: boolean } | { error: string } {
  if (conditions.length === 0) return { matches: true };
  const budget = new Budget(maxConditionsCost);
  const activation = activationOf(variables, provided, budget);
  const errors = new Set<string>();
  try {
    for (const condition of conditions) {
      const outcome = evaluate(condition, activation, budget);
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

/** What all match conditions of a policy or a webhook may cost together. */
export const maxConditionsCost = 2_500_000;
/** What the other expressions of a policy may cost together. */
export const maxPolicyCost = 10_000_000;
