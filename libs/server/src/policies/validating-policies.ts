import type { Authorizer } from '@annex/auth';
import { forbidden, type JsonValue, type KubeObject, type Status, StatusError } from '@annex/machinery';
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts';
import { isExempt } from '../admission/exempt.ts';
import { type FindNamespace, namespaceFinder } from '../admission/selectors.ts';
import { versioned } from '../admission/versioned.ts';
import type { ServerDeps } from '../app.ts';
import type { ResourceKind } from '../resource-kind.ts';
import { admissionActivation, namespaceObject } from './activation.ts';
import { withChecks } from './checks.ts';
import { PolicyParams } from './params.ts';
import { type Binding, type Policy, policySource } from './policy-source.ts';
import type { ValidatingPolicySpec } from './policy-spec.ts';
import {
  compileValidatingPolicy,
  type Denial,
  evaluatePolicy,
  type PolicyResult,
  type ValidatingPolicy,
} from './validating-policy.ts';

type Bound = Policy<ValidatingPolicySpec, ValidatingPolicy>;

/** A refusal, and who refuses. */
interface Refusal extends Denial {
  policy: string;
  binding?: string;
}

/**
 * kube's ValidatingAdmissionPolicy plugin: evaluates the policies that match, for each of their bindings and
 * parameters. Source: KEP-3488, "Validating Admission Policy".
 */
export function validatingPolicies(deps: ServerDeps, authorizer: Authorizer): AdmissionPlugin {
  const find = namespaceFinder(deps);
  const params = new PolicyParams(deps);
  const policies = policySource(deps, 'validatingadmissionpolic', compileValidatingPolicy, find);
  return {
    name: 'ValidatingAdmissionPolicy',
    async validate(request) {
      if (isExempt(request)) return;
      const refusals: Refusal[] = [];
      for (const policy of await policies()) {
        refusals.push(...(await refusalsOf(policy, request, { find, params, authorizer })));
      }
      if (refusals[0] !== undefined) throw denied(request, refusals[0]);
    },
  };
}

interface Means {
  find: FindNamespace;
  params: PolicyParams;
  authorizer: Authorizer;
}

async function refusalsOf(policy: Bound, request: AdmissionRequest, means: Means): Promise<Refusal[]> {
  const misconfigured = (error: unknown, binding?: string): Refusal[] => {
    if (policy.spec.failurePolicy === 'Ignore') return [];
    const why = error instanceof Error ? error.message : String(error);
    const message = `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${why}`;
    return [{ policy: policy.name, message, ...(binding === undefined ? {} : { binding }) }];
  };
  let kind: ResourceKind | undefined;
  let source;
  try {
    kind = await policy.match(request);
    if (kind === undefined) return [];
    source = policy.spec.paramKind ? await means.params.source(policy.spec.paramKind) : undefined;
  } catch (error) {
    return misconfigured(error);
  }
  const refusals: Refusal[] = [];
  for (const binding of policy.bindings) {
    try {
      if ((await binding.match(request)) === undefined) continue;
      const found = await means.params.collect(source, binding.spec.paramRef, request.namespace);
      for (const param of found) {
        const result = await evaluateFor(policy, kind, request, param, means);
        refusals.push(...enforce(policy.name, binding, request, result));
      }
    } catch (error) {
      refusals.push(...misconfigured(error, binding.name));
    }
  }
  return refusals;
}

async function evaluateFor(
  policy: Bound,
  kind: ResourceKind,
  request: AdmissionRequest,
  param: KubeObject | undefined,
  { authorizer, find }: Means,
): Promise<PolicyResult> {
  const objects = await versioned(request, kind);
  const namespace = await namespaceObject(request, find);
  return await withChecks(authorizer, request.request.user, (decide) =>
    evaluatePolicy(policy.compiled, {
      ...admissionActivation(request, kind, objects, decide),
      namespaceObject: namespace,
      params: (param ?? null) as unknown as JsonValue,
    }),
  );
}

/** Does what a binding wants done about refusals: those that are to deny are returned. */
function enforce(
  policy: string,
  { name, spec }: Binding,
  { request }: AdmissionRequest,
  { denials, annotations }: PolicyResult,
): Refusal[] {
  const refusals: Refusal[] = [];
  for (const denial of denials) {
    for (const action of spec.validationActions ?? []) {
      if (action === 'Deny') refusals.push({ ...denial, policy, binding: name });
      const told = `ValidatingAdmissionPolicy '${policy}' with binding '${name}': ${denial.message}`;
      if (action === 'Warn') request.warnings.push(`Validation failed for ${told}`);
      if (action === 'Audit') request.notes.push(`validation failure of ${told}`);
    }
  }
  for (const { key, value } of annotations) request.notes.push(`${policy}/${key}: ${value}`);
  return refusals;
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
};

function denied(request: AdmissionRequest, refusal: Refusal): StatusError {
  const { policy, binding, message: why, reason = 'Invalid' } = refusal;
  const by = binding === undefined ? '' : ` with binding '${binding}'`;
  const message = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${why}`;
  const { metadata } = request.object ?? { metadata: {} };
  const name = request.name || metadata.generateName || 'Unknown';
  const { status } = forbidden(request.kind, name, message);
  return new StatusError({
    ...status,
    reason: reason as NonNullable<Status['reason']>,
    details: { ...status.details, causes: [{ message }] },
    code: codes[reason] ?? 422,
  });
}
