import type { Authorizer } from '@annex/auth';
import type { JsonValue, Passes } from '@annex/machinery';
import type { AdmissionAttributes, VersionedObjects } from '@annex/server';
import type { FindNamespace } from '../selectors.ts';
import { admissionActivation, namespaceObject } from './activation.ts';
import { withChecks } from './checks.ts';
import type { Activation } from './expression.ts';
import type { PolicyInvocation } from './invocations.ts';

/** The dependencies of an evaluation besides the request. */
export interface EvaluationDeps {
  find: FindNamespace;
  authorizer: Authorizer;
}

/** Evaluates expressions of a policy with the objects of a request in the version that the policy matches. */
export async function evaluateFor<T>(
  attributes: AdmissionAttributes,
  { kind, param }: PolicyInvocation,
  objects: VersionedObjects,
  { authorizer, find }: EvaluationDeps,
  evaluate: (provided: Activation) => Passes<T>,
): Promise<T> {
  const namespace = await namespaceObject(attributes, find);
  return await withChecks(authorizer, attributes.request, (decide) =>
    evaluate({
      ...admissionActivation(attributes, kind, objects, decide),
      namespaceObject: namespace,
      params: (param ?? null) as unknown as JsonValue,
    }),
  );
}
