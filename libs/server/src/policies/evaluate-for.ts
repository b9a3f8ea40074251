import type { Authorizer } from '@annex/auth';
import type { JsonValue } from '@annex/machinery';
import type { AdmissionRequest } from '../admission/plugin.ts';
import type { FindNamespace } from '../admission/selectors.ts';
import { versioned } from '../admission/versioned.ts';
import { admissionActivation, namespaceObject } from './activation.ts';
import { withChecks } from './checks.ts';
import type { Activation } from './expression.ts';
import type { PolicyInvocation } from './invocations.ts';

/** What policies are evaluated with, beside the request. */
export interface EvaluationMeans {
  find: FindNamespace;
  authorizer: Authorizer;
}

/** Evaluates expressions of a policy for the objects of a request as they are at this moment. */
export async function evaluateFor<T>(
  request: AdmissionRequest,
  { kind, param }: PolicyInvocation,
  { authorizer, find }: EvaluationMeans,
  evaluate: (given: Activation) => T,
): Promise<T> {
  const objects = await versioned(request, kind);
  const namespace = await namespaceObject(request, find);
  return await withChecks(authorizer, request.request.user, (decide) =>
    evaluate({
      ...admissionActivation(request, kind, objects, decide),
      namespaceObject: namespace,
      params: (param ?? null) as unknown as JsonValue,
    }),
  );
}
