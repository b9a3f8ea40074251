import {
  type Attributes,
  type Authorizer,
  type Decision,
  serviceAccountGroups,
  serviceAccountUser,
  type UserInfo,
} from '@annex/auth';
import type { AuthorizationCheck, AuthorizationDecision, DecideCheck } from '@annex/cel';
import type { RequestContext } from '@annex/kinds';
import type { Passes } from '@annex/machinery';
import { pauseFor, readSelectors } from '@annex/server';

/**
 * Evaluates expressions, in slices, that call an authorizer, which may be asynchronous. While a decision is pending, the
 * evaluation stops; it starts again when the decision is available. Each check is sent once. Throws if nobody waits for the request any more.
 */
export async function withChecks<T>(
  authorizer: Authorizer,
  request: Pick<RequestContext, 'user' | 'signal'>,
  evaluate: (decide: DecideCheck) => Passes<T>,
): Promise<T> {
  const decisions = new Map<string, AuthorizationDecision>();
  const pause = pauseFor(request);
  // A request can have thousands of evaluations: one for each binding and parameter.
  const resumed = pause(false);
  if (resumed !== undefined) await resumed;
  for (;;) {
    let pending: Promise<void> | undefined;
    const decide: DecideCheck = (check) => {
      const key = JSON.stringify(check);
      const decided = decisions.get(key);
      if (decided !== undefined) return decided;
      const outcome = authorizer.authorize(attributesOf(check, request.user));
      if (!(outcome instanceof Promise)) return record(decisions, key, outcome);
      pending ??= outcome.then(
        (decision) => void record(decisions, key, decision),
        (error: unknown) => void decisions.set(key, failed(error)),
      );
      throw new Error('the authorizer has not responded yet');
    };
    try {
      const passes = evaluate(decide);
      let pass = passes.next();
      while (pass.done !== true && pending === undefined) {
        const paused = pause(pass.value === 'long');
        if (paused !== undefined) await paused;
        pass = passes.next();
      }
      if (pass.done === true && pending === undefined) return pass.value;
    } catch (error) {
      if (pending === undefined) throw error;
    }
    await pending;
  }
}

function record(decisions: Map<string, AuthorizationDecision>, key: string, decision: Decision) {
  const { reason, evaluationError = '' } = decision;
  const result = { allowed: decision.decision === 'allow', reason, error: evaluationError };
  decisions.set(key, result);
  return result;
}

const failed = (error: unknown): AuthorizationDecision => ({
  allowed: false,
  reason: '',
  error: error instanceof Error ? error.message : String(error),
});

function attributesOf(
  { verb, path, resource, serviceAccount }: AuthorizationCheck,
  user: UserInfo,
): Attributes {
  return {
    user: serviceAccount ? userOf(serviceAccount) : user,
    verb,
    resourceRequest: resource !== undefined,
    apiGroup: resource?.group ?? '',
    apiVersion: resource === undefined ? '' : '*',
    resource: resource?.resource ?? '',
    subresource: resource?.subresource ?? '',
    namespace: resource?.namespace ?? '',
    name: resource?.name ?? '',
    ...(resource?.fieldSelector || resource?.labelSelector ? readSelectors(resource) : {}),
    path: path ?? '',
  };
}

const userOf = ({ namespace, name }: { namespace: string; name: string }): UserInfo => ({
  name: serviceAccountUser(namespace, name),
  groups: serviceAccountGroups(namespace),
  extra: {},
});
