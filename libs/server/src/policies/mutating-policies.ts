import type { Authorizer } from '@annex/auth';
import { deepEqual, forbidden, type KubeObject, StatusError } from '@annex/machinery';
import type { AdmissionPlugin, AdmissionRequest } from '../admission/plugin.ts';
import { isExempt } from '../admission/exempt.ts';
import { decodeMutated, inRequestVersion } from '../admission/mutated.ts';
import { ReinvocationRound } from '../admission/reinvocation.ts';
import { namespaceFinder } from '../admission/selectors.ts';
import { versioned } from '../admission/versioned.ts';
import type { ServerDeps } from '../app.ts';
import { asJson } from '../resource-kind.ts';
import { evaluateFor } from './evaluate-for.ts';
import type { Activation } from './expression.ts';
import { invocationsOf, type PolicyInvocation } from './invocations.ts';
import { compileMutatingPolicy, mutateBy, type MutatingPolicy, MutationError } from './mutating-policy.ts';
import { PolicyParams } from './params.ts';
import { checkConditions } from './policy.ts';
import { type Policy, type PolicySource, policySource } from './policy-source.ts';
import type { MutatingPolicySpec } from './policy-spec.ts';
import { tracePolicy } from './trace-policy.ts';

const name = 'MutatingAdmissionPolicy';

/** Why a policy refuses, and who. */
interface Refusal {
  message: string;
  policy: string;
  binding?: string;
  reason?: 'Invalid';
}

type Bound = Policy<MutatingPolicySpec, MutatingPolicy>;
type Evaluate = <T>(kind: PolicyInvocation, evaluate: (given: Activation) => T) => Promise<T>;

/**
 * kube's MutatingAdmissionPolicy plugin: changes objects by the policies that match, one after the other. Source: KEP-3962, "Mutating
 * Admission Policies".
 */
export function mutatingPolicies(deps: ServerDeps, authorizer: Authorizer): AdmissionPlugin {
  const find = namespaceFinder(deps);
  const params = new PolicyParams(deps);
  const policies = policySource(deps, 'mutatingadmissionpolic', compileMutatingPolicy, find);
  return {
    name,
    mutate: (request) =>
      policies.isEmpty() || isExempt(request) || request.object === undefined
        ? undefined
        : mutate(policies, request, params, (invocation, evaluate) =>
            evaluateFor(request, invocation, { find, authorizer }, evaluate),
          ),
  };
}

async function mutate(
  policies: PolicySource<MutatingPolicySpec, MutatingPolicy>,
  request: AdmissionRequest,
  params: PolicyParams,
  evaluate: Evaluate,
): Promise<void> {
  const round = ReinvocationRound.of(name, request);
  round.begin(request);
  const refusals: Refusal[] = [];
  for (const policy of await policies.inForce()) {
    const began = performance.now();
    const own: Refusal[] = [];
    const invocations = await invocationsOf(policy, request, params);
    for (const found of invocations) {
      if ('message' in found) own.push({ policy: policy.name, ...found });
      else own.push(...(await invoke(policy, found, request, round, evaluate)));
    }
    if (invocations.length > 0) tracePolicy(request.request.trace, name, policy.name, began, own);
    refusals.push(...own);
  }
  round.end(request);
  if (refusals.length > 0) throw denied(request, refusals);
}

/** Makes all mutations of a policy. A mutation that fails refuses, and those after it are made all the same. */
async function invoke(
  policy: Bound,
  invocation: PolicyInvocation,
  request: AdmissionRequest,
  round: ReinvocationRound,
  evaluate: Evaluate,
): Promise<Refusal[]> {
  const { compiled, spec } = policy;
  const { binding, kind, param } = invocation;
  const refusal = (message: string): Refusal[] =>
    spec.failurePolicy === 'Ignore'
      ? []
      : [{ message, policy: policy.name, binding: binding.name, reason: 'Invalid' }];
  const held = await evaluate(invocation, (given) =>
    checkConditions(compiled.matchConditions, given, compiled.variables),
  );
  if ('error' in held) return refusal(held.error);
  const { namespace = '', name: paramName = '' } = param?.metadata ?? {};
  const id = [policy.name, binding.name, namespace, paramName].join('/');
  if (!held.matches || !round.calls(id, request)) return [];
  const before = request.object;
  const refusals: Refusal[] = [];
  for (const mutation of compiled.mutations) {
    try {
      const { object } = await versioned(request, kind);
      if (object === undefined) continue;
      const { schema } = request.objectKind ?? kind;
      const changed = await evaluate(invocation, (given) =>
        mutateBy(compiled, mutation, given, object, schema),
      );
      const decoded = decodeMutated(asJson(changed), kind, request, { strict: true });
      request.object = await inRequestVersion(decoded, kind, request);
    } catch (error) {
      if (!(error instanceof MutationError)) throw error;
      refusals.push(...refusal(error.message));
    }
  }
  round.called(id, request, !deepEqual(before, request.object), spec.reinvocationPolicy);
  return refusals;
}

function denied(request: AdmissionRequest, refusals: readonly Refusal[]): StatusError {
  const messages = refusals.map(({ policy, binding, message }) =>
    binding === undefined
      ? `policy ${JSON.stringify(policy)} denied request: ${message}`
      : `policy '${policy}' with binding '${binding}' denied request: ${message}`,
  );
  const { status } = forbidden(request.kind, request.name || generateName(request.object), '');
  return new StatusError({
    ...status,
    message: messages[0] ?? '',
    ...(refusals[0]?.reason ? { reason: refusals[0].reason } : {}),
    details: { ...status.details, causes: messages.map((message) => ({ message })) },
  });
}

const generateName = (object: KubeObject | undefined): string => object?.metadata.generateName || 'Unknown';
