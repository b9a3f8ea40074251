import {
  type Attributes,
  type Authorizer,
  type Decision,
  serviceAccountGroups,
  serviceAccountUser,
  type UserInfo,
} from '@annex/auth';
import type { AuthorizationCheck, AuthorizationDecision, DecideCheck } from '@annex/cel';
import { readSelectors } from '@annex/server';

/**
 * Evaluates expressions that ask an authorizer, which may take its time: where an answer is not there yet the evaluation is
 * given up, and begun again when it has come. Each question is asked once.
 */
export async function withChecks<T>(
  authorizer: Authorizer,
  user: UserInfo,
  evaluate: (decide: DecideCheck) => T,
): Promise<T> {
  const known = new Map<string, AuthorizationDecision>();
  for (;;) {
    let pending: Promise<void> | undefined;
    const decide: DecideCheck = (check) => {
      const key = JSON.stringify(check);
      const responded = known.get(key);
      if (responded !== undefined) return responded;
      const outcome = authorizer.authorize(attributesOf(check, user));
      if (!(outcome instanceof Promise)) return remember(known, key, outcome);
      pending ??= outcome.then(
        (decision) => void remember(known, key, decision),
        (error: unknown) => void known.set(key, failed(error)),
      );
      throw new Error('the authorizer has not answered yet');
    };
    try {
      const result = evaluate(decide);
      if (pending === undefined) return result;
    } catch (error) {
      if (pending === undefined) throw error;
    }
    await pending;
  }
}

function remember(known: Map<string, AuthorizationDecision>, key: string, decision: Decision) {
  const { reason, evaluationError = '' } = decision;
  const notified = { allowed: decision.decision === 'allow', reason, error: evaluationError };
  known.set(key, notified);
  return notified;
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
