import type { KubeObject } from '@annex/machinery';
import { type AdmissionAttributes, pause } from '@annex/server';
import type { ResourceKind } from '@annex/kinds';
import type { AdmissionHost } from '../host.ts';
import { collectParams } from './params.ts';
import type { Binding, Policy } from './policy-source.ts';
import type { PolicySpec } from './policy-spec.ts';

/** One evaluation of a policy: for a binding and one of its parameter objects. */
export interface PolicyInvocation {
  binding: Binding;
  /** The kind whose version the policy reads. */
  kind: ResourceKind;
  param: KubeObject | undefined;
}

/** A policy or binding that refers to something that does not exist. */
export interface Misconfiguration {
  message: string;
  binding?: string;
}

/**
 * Returns the evaluations of a policy for a request, in the order of its bindings. Returns configuration
 * errors only if the failurePolicy is Fail.
 */
export async function invocationsOf<Spec extends PolicySpec, Compiled>(
  policy: Policy<Spec, Compiled>,
  attributes: AdmissionAttributes,
  host: Pick<AdmissionHost, 'findParams'>,
): Promise<(PolicyInvocation | Misconfiguration)[]> {
  const failure = (error: unknown, binding?: string): Misconfiguration[] => {
    if (policy.spec.failurePolicy === 'Ignore') return [];
    const why = error instanceof Error ? error.message : String(error);
    return binding === undefined
      ? [{ message: `failed to configure policy: ${why}` }]
      : [{ message: `failed to configure binding: ${why}`, binding }];
  };
  let kind: ResourceKind | undefined;
  let source;
  try {
    kind = await policy.match(attributes);
    if (kind === undefined) return [];
    source = policy.spec.paramKind ? await host.findParams(policy.spec.paramKind) : undefined;
  } catch (error) {
    return failure(error);
  }
  const found: (PolicyInvocation | Misconfiguration)[] = [];
  for (const binding of policy.bindings) {
    const paused = pause();
    if (paused !== undefined) await paused;
    try {
      if ((await binding.match(attributes)) === undefined) continue;
      const collected = await collectParams(source, binding.spec.paramRef, attributes.namespace);
      for (const param of collected) found.push({ binding, kind, param });
    } catch (error) {
      found.push(...failure(error, binding.name));
    }
  }
  return found;
}
