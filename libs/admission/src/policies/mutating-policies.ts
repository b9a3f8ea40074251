import type { Authorizer } from '@annex/auth';
import { finishInSlices, type Passes, StatusError } from '@annex/machinery';
import {
  type AdmissionPlugin,
  type AdmissionAttributes,
  equalInSlices,
  pause,
  versioned,
  type VersionedObjects,
} from '@annex/server';
import { isExempt } from '../exempt.ts';
import type { AdmissionHost } from '../host.ts';
import { decodeMutated, inRequestVersion } from '../mutated.ts';
import { ReinvocationRound } from '../reinvocation.ts';
import { refuse } from '../plugins/refuse.ts';
import { asJson, type ResourceKind } from '@annex/kinds';
import { type EvaluationDeps, evaluateFor } from './evaluate-for.ts';
import type { Activation } from './expression.ts';
import { invocationsOf, type Misconfiguration, type PolicyInvocation } from './invocations.ts';
import { compileMutatingPolicy, mutateBy, type MutatingPolicy, MutationError } from './mutating-policy.ts';
import { checkConditions } from './policy.ts';
import { type Policy, type PolicySource, policySource } from './policy-source.ts';
import type { MutatingPolicySpec } from './policy-spec.ts';
import { tracePolicy } from './trace-policy.ts';

const name = 'MutatingAdmissionPolicy';

/** The denial of a policy, and the policy. */
interface Refusal {
  message: string;
  policy: string;
  binding?: string;
  reason?: 'Invalid';
}

type Bound = Policy<MutatingPolicySpec, MutatingPolicy>;

/** The objects of a request in one version, with the mutations of the policies that read this version. */
interface VersionState {
  kind: ResourceKind;
  objects: VersionedObjects;
  /** True if a mutation was applied, even if it changed nothing. */
  mutated: boolean;
}

/** One run of all policies for a request. */
interface Run {
  attributes: AdmissionAttributes;
  round: ReinvocationRound;
  evaluation: EvaluationDeps;
  states: Map<ResourceKind, VersionState>;
  /** The version of the last mutation. */
  last?: VersionState;
}

/**
 * kube-apiserver's MutatingAdmissionPolicy plugin: the matching policies change objects one after the other.
 * Source: KEP-3962, "Mutating Admission Policies".
 */
export function mutatingPolicies(host: AdmissionHost, authorizer: Authorizer): AdmissionPlugin {
  const policies = policySource(host, 'mutatingadmissionpolic', compileMutatingPolicy);
  return {
    name,
    mutate: (attributes) =>
      policies.isEmpty() || isExempt(attributes) || attributes.object === undefined
        ? undefined
        : mutate(policies, attributes, host, { find: host.findNamespace, authorizer }),
  };
}

async function mutate(
  policies: PolicySource<MutatingPolicySpec, MutatingPolicy>,
  attributes: AdmissionAttributes,
  host: AdmissionHost,
  evaluation: EvaluationDeps,
): Promise<void> {
  // All policies are matched before the first one changes the object.
  const matching: [Bound, (PolicyInvocation | Misconfiguration)[]][] = [];
  for (const policy of await policies.active()) {
    const invocations = await invocationsOf(policy, attributes, host);
    if (invocations.length > 0) matching.push([policy, invocations]);
  }
  const round = ReinvocationRound.of(name, attributes);
  await round.begin(attributes);
  const run: Run = { attributes, round, evaluation, states: new Map() };
  const [errors, refusals]: [Refusal[], Refusal[]] = [[], []];
  for (const [policy, invocations] of matching) {
    const began = performance.now();
    const own: Refusal[] = [];
    for (const found of invocations) {
      if ('message' in found) errors.push({ policy: policy.name, ...found });
      else own.push(...(await invoke(policy, found, run)));
    }
    tracePolicy(attributes.request.trace, name, policy.name, began, own);
    refusals.push(...own);
  }
  if (run.last?.mutated) await adoptObject(run.last, run);
  await round.end(attributes);
  const all = [...errors, ...refusals];
  if (all.length > 0) throw denied(attributes, all);
}

/**
 * The object of the last mutation becomes the object of the request: kube-apiserver's dispatcher keeps
 * separate objects for each version and discards those of the others. All policies that ran are candidates
 * for reinvocation, whether they changed the object or not.
 */
async function adoptObject(
  { kind, objects: { object } }: VersionState,
  { attributes, round }: Run,
): Promise<void> {
  round.changed(attributes);
  if (object !== undefined) attributes.object = await inRequestVersion(object, kind, attributes);
}

async function stateOf(kind: ResourceKind, { attributes, states }: Run): Promise<VersionState> {
  const known = states.get(kind);
  if (known !== undefined) return known;
  const found = { kind, objects: { ...(await versioned(attributes, kind)) }, mutated: false };
  states.set(kind, found);
  return found;
}

/**
 * Applies all mutations of a policy. A failed mutation denies the request, but the mutations after it still
 * run.
 */
async function invoke(policy: Bound, invocation: PolicyInvocation, run: Run): Promise<Refusal[]> {
  const { compiled, spec } = policy;
  const { binding, kind, param } = invocation;
  const { attributes, round, evaluation } = run;
  const refusal = (message: string): Refusal[] =>
    spec.failurePolicy === 'Ignore'
      ? []
      : [{ message, policy: policy.name, binding: binding.name, reason: 'Invalid' }];
  const state = await stateOf(kind, run);
  const evaluate = <T>(make: (provided: Activation) => Passes<T>) =>
    evaluateFor(attributes, invocation, state.objects, evaluation, make);
  const outcome = await evaluate((provided) =>
    checkConditions(compiled.matchConditions, provided, compiled.variables),
  );
  if ('error' in outcome) return refusal(outcome.error);
  const { namespace = '', name: paramName = '' } = param?.metadata ?? {};
  const id = [policy.name, binding.name, namespace, paramName].join('/');
  if (!outcome.matches || !round.calls(id, attributes)) return [];
  const before = state.objects.object;
  const refusals: Refusal[] = [];
  for (const mutation of compiled.mutations) {
    run.last = state;
    const { object } = state.objects;
    if (object === undefined) continue;
    try {
      const { schema } = attributes.objectKind ?? kind;
      const changed = await evaluate((provided) => mutateBy(compiled, mutation, provided, object, schema));
      const decoding = decodeMutated(asJson(changed), kind, attributes, { strict: true });
      state.objects.object = await finishInSlices(decoding, pause);
      state.mutated = true;
    } catch (error) {
      if (!(error instanceof MutationError)) throw error;
      refusals.push(...refusal(error.message));
    }
  }
  const isSame = await equalInSlices(before, state.objects.object);
  round.called(id, attributes, !isSame, spec.reinvocationPolicy);
  return refusals;
}

function denied(attributes: AdmissionAttributes, refusals: readonly Refusal[]): StatusError {
  const messages = refusals.map(({ policy, binding, message }) =>
    binding === undefined
      ? `policy ${JSON.stringify(policy)} denied request: ${message}`
      : `policy '${policy}' with binding '${binding}' denied request: ${message}`,
  );
  const { status } = refuse(attributes, '');
  return new StatusError({
    ...status,
    message: messages[0] ?? '',
    ...(refusals[0]?.reason ? { reason: refusals[0].reason } : {}),
    details: { ...status.details, causes: messages.map((message) => ({ message })) },
  });
}
