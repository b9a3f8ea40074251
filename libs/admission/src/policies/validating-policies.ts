import type { Authorizer } from '@annex/auth';
import { escapedJson, pushAll, type Status, StatusError, tableOf } from '@annex/machinery';
import { type AdmissionPlugin, type AdmissionAttributes, versioned } from '@annex/server';
import type { RequestContext } from '@annex/kinds';
import { isExempt } from '../exempt.ts';
import type { AdmissionHost } from '../host.ts';
import { refuse } from '../plugins/refuse.ts';
import { evaluateFor, type EvaluationDeps } from './evaluate-for.ts';
import { invocationsOf } from './invocations.ts';
import { type Binding, type Policy, type PolicySource, policySource } from './policy-source.ts';
import type { ValidatingPolicySpec } from './policy-spec.ts';
import { tracePolicy } from './trace-policy.ts';
import {
  compileValidatingPolicy,
  type Denial,
  evaluatePolicy,
  type Annotation,
  type ValidatingPolicy,
} from './validating-policy.ts';

const name = 'ValidatingAdmissionPolicy';

type Bound = Policy<ValidatingPolicySpec, ValidatingPolicy>;
type Source = PolicySource<ValidatingPolicySpec, ValidatingPolicy>;

/** A denial, its policy and its binding. */
interface Refusal extends Omit<Denial, 'index'> {
  policy: string;
  binding?: string;
}

/**
 * kube-apiserver's ValidatingAdmissionPolicy plugin: evaluates the matching policies for each of their
 * bindings and parameters. Source: KEP-3488, "Validating Admission Policy".
 */
export function validatingPolicies(host: AdmissionHost, authorizer: Authorizer): AdmissionPlugin {
  const policies = policySource(host, 'validatingadmissionpolic', compileValidatingPolicy);
  return {
    name,
    validate: (attributes) =>
      policies.isEmpty() || isExempt(attributes)
        ? undefined
        : validate(policies, attributes, { find: host.findNamespace, host, authorizer }),
  };
}

async function validate(
  policies: Source,
  attributes: AdmissionAttributes,
  evaluation: EvaluationContext,
): Promise<void> {
  const refusals: Refusal[] = [];
  for (const policy of await policies.active()) {
    pushAll(refusals, await refusalsOf(policy, attributes, evaluation));
  }
  if (refusals[0] !== undefined) throw denied(attributes, refusals[0]);
}

interface EvaluationContext extends EvaluationDeps {
  host: AdmissionHost;
}

async function refusalsOf(
  policy: Bound,
  attributes: AdmissionAttributes,
  evaluation: EvaluationContext,
): Promise<Refusal[]> {
  const refusals: Refusal[] = [];
  const noted: Annotation[] = [];
  const began = performance.now();
  const invocations = await invocationsOf(policy, attributes, evaluation.host);
  for (const found of invocations) {
    if ('message' in found) {
      refusals.push({ policy: policy.name, ...found });
    } else {
      const objects = await versioned(attributes, found.kind);
      const { denials, annotations } = await evaluateFor(attributes, found, objects, evaluation, (provided) =>
        evaluatePolicy(policy.compiled, provided),
      );
      refusals.push(...enforce(policy.name, found.binding, attributes, denials));
      noted.push(...annotations);
    }
  }
  noteAnnotations(attributes.request, policy.name, noted);
  if (invocations.length > 0) tracePolicy(attributes.request.trace, name, policy.name, began, refusals);
  return refusals;
}

/** Applies the validationActions of a binding to denials. Returns the denials with the action Deny. */
function enforce(
  policy: string,
  { name, spec }: Binding,
  { request }: AdmissionAttributes,
  denials: readonly Denial[],
): Refusal[] {
  const refusals: Refusal[] = [];
  for (const denial of denials) {
    for (const action of spec.validationActions ?? []) {
      if (action === 'Deny') refusals.push({ ...denial, policy, binding: name });
      const names = `ValidatingAdmissionPolicy '${policy}' with binding '${name}': ${denial.message}`;
      if (action === 'Warn') request.warnings.push(`Validation failed for ${names}`);
      if (action === 'Audit') {
        request.trace.remarks.push(`validation failure of ${names}`);
        noteFailure(request, policy, { name, spec }, denial);
      }
    }
  }
  return refusals;
}

function noteFailure(
  { audit }: RequestContext,
  policy: string,
  { name: binding, spec: { validationActions } }: Pick<Binding, 'name' | 'spec'>,
  { index: expressionIndex, message }: Denial,
): void {
  const failure = { message, policy, binding, expressionIndex, validationActions };
  audit?.annotate('validation.policy.admission.k8s.io/validation_failure', escapedJson([failure]));
}

/** Several parameters can result in several values of one annotation. */
function noteAnnotations(
  { trace, audit }: RequestContext,
  policy: string,
  noted: readonly Annotation[],
): void {
  const values = Map.groupBy(noted, ({ key }) => key);
  for (const [key, list] of values) {
    const value = [...new Set(list.map((one) => one.value))].join(', ');
    trace.remarks.push(`${policy}/${key}: ${value}`);
    audit?.annotate(`${policy}/${key}`, value);
  }
}

const codes = tableOf({
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
});

function denied(attributes: AdmissionAttributes, refusal: Refusal): StatusError {
  const { policy, binding, message: why, reason = 'Invalid' } = refusal;
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const message = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${why}`;
  const { status } = refuse(attributes, message);
  return new StatusError({
    ...status,
    reason: reason as NonNullable<Status['reason']>,
    details: { ...status.details, causes: [{ message }] },
    code: codes.get(reason) ?? 422,
  });
}
