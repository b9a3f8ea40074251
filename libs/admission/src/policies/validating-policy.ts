import { types } from '@annex/cel';
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
import {
  activationOf,
  checkConditions,
  compilePolicy,
  maxPolicyCost,
  type PolicyExpressions,
} from './policy.ts';
import type { Validation, ValidatingPolicySpec } from './policy-spec.ts';

interface CompiledValidation extends Expression {
  rule: Validation;
  message?: Expression;
}

/** A compiled ValidatingAdmissionPolicy. */
export interface ValidatingPolicy extends PolicyExpressions {
  spec: ValidatingPolicySpec;
  validations: readonly CompiledValidation[];
  auditAnnotations: readonly (Expression & { key: string })[];
}

/** Compiles a policy, in passes of one expression. */
export function* compileValidatingPolicy(spec: ValidatingPolicySpec): Passes<ValidatingPolicy> {
  const policy = yield* compilePolicy(spec);
  const validations: CompiledValidation[] = [];
  for (const rule of spec.validations ?? []) {
    validations.push({
      rule,
      ...(yield* compileExpression(policy.environment, rule.expression, [types.bool])),
      ...(rule.messageExpression?.trim()
        ? {
            message: yield* compileExpression(policy.plainEnvironment, rule.messageExpression, [
              types.string,
            ]),
          }
        : {}),
    });
    yield;
  }
  const auditAnnotations: (Expression & { key: string })[] = [];
  for (const { key, valueExpression } of spec.auditAnnotations ?? []) {
    const returns = [types.string, types.null];
    auditAnnotations.push({
      key,
      ...(yield* compileExpression(policy.environment, valueExpression, returns)),
    });
    yield;
  }
  return { ...policy, spec, validations, auditAnnotations };
}

/** The denial of a policy. */
export interface Denial {
  message: string;
  /** The index of the expression in the policy's validations; 0 for others. */
  index: number;
  /** The reason of the Status. If absent, the reason of a failed evaluation. */
  reason?: string;
}

/** An annotation of the audit event; its key does not contain the name of the policy. */
export interface Annotation {
  key: string;
  value: string;
}

/** The result of a policy for a request: denials and audit annotations. */
export interface PolicyResult {
  denials: Denial[];
  annotations: Annotation[];
}

/** Bytes of a message that a policy computes. Source: kube-apiserver. */
export const maxPolicyMessageBytes = 5 * 1024;

/** Evaluates a policy for one set of parameters. */
export function* evaluatePolicy(policy: ValidatingPolicy, provided: Activation): Passes<PolicyResult> {
  const failed = (error: string, index = 0): PolicyResult => ({
    denials: policy.spec.failurePolicy === 'Ignore' ? [] : [{ index, message: error }],
    annotations: [],
  });
  try {
    const held = yield* checkConditions(policy.matchConditions, provided, policy.variables);
    if ('error' in held) return failed(held.error);
    if (!held.matches) return { denials: [], annotations: [] };
    const budget = new Budget(maxPolicyCost);
    const activation = activationOf(policy.variables, provided, budget);
    const outcomes: Outcome[] = [];
    for (const validation of policy.validations)
      outcomes.push(yield* evaluate(validation, activation, budget));
    const denials: Denial[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      if ('error' in outcome) denials.push(...failed(outcome.error, index).denials);
      else if (outcome.value !== true) {
        const { rule, message: computed } = policy.validations[index] as CompiledValidation;
        const message = yield* denialMessage(rule, computed, activation, budget);
        denials.push({ index, message, reason: rule.reason ?? 'Invalid' });
      }
    }
    const noted = yield* annotationsOf(policy, provided);
    return { denials: [...denials, ...noted.denials], annotations: noted.annotations };
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message);
    throw error;
  }
}

/** Returns the message that the policy computes, else its static message, else the expression. */
function* denialMessage(
  rule: Validation,
  message: Expression | undefined,
  activation: Activation,
  budget: Budget,
): Passes<string> {
  const outcome = message && (yield* evaluate(message, activation, budget));
  if (outcome !== undefined && 'value' in outcome && typeof outcome.value === 'string') {
    const text = outcome.value.trim();
    if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= maxPolicyMessageBytes) return text;
  }
  return rule.message?.trim() || `failed expression: ${rule.expression.trim()}`;
}

/** Bytes of an audit annotation of a policy; longer ones are truncated. Source: kube-apiserver. */
export const maxPolicyAnnotationBytes = 10 * 1024;

function* annotationsOf(policy: ValidatingPolicy, provided: Activation): Passes<PolicyResult> {
  const result: PolicyResult = { denials: [], annotations: [] };
  if (policy.auditAnnotations.length === 0) return result;
  const budget = new Budget(maxPolicyCost);
  const activation = activationOf(policy.variables, provided, budget);
  for (const annotation of policy.auditAnnotations) {
    const outcome = yield* evaluate(annotation, activation, budget);
    if ('error' in outcome) {
      if (policy.spec.failurePolicy !== 'Ignore') result.denials.push({ index: 0, message: outcome.error });
    } else if (typeof outcome.value === 'string' && outcome.value.trim() !== '') {
      const value = Buffer.from(outcome.value.trim()).subarray(0, maxPolicyAnnotationBytes).toString();
      result.annotations.push({ key: annotation.key, value });
    }
  }
  return result;
}
