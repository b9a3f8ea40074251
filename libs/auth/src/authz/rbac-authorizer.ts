import { aggregateText } from '../aggregate-text.ts';
import { describeBinding } from './rbac-bindings.ts';
import { explainRbac } from './rbac-explanation.ts';
import { RbacIndex, type RbacSource } from './rbac-index.ts';
import type { PolicyRule, RoleRef } from './rbac-types.ts';
import type { Attributes, Authorizer, Decision, UserInfo } from '../types.ts';

/** The rules that apply to a user, and what could not be found on the way. */
export interface UserRules {
  rules: PolicyRule[];
  problems: string[];
  /** There may be more rules than are known. */
  incomplete?: boolean;
}

/** Says which rules a user has, for escalation checks and SelfSubjectRulesReview. */
export interface RuleResolver {
  rulesFor(user: UserInfo, namespace: string): Promise<UserRules>;
  /** The rules of the role that a binding in this namespace (empty: the whole cluster) refers to. */
  roleRules(roleRef: RoleRef, namespace: string): Promise<UserRules>;
}

/** Decides by RBAC objects. */
export interface RbacAuthorizer extends Authorizer, RuleResolver {
  /** Reads the RBAC objects. Called by the first question where nobody did. */
  start(): Promise<void>;
}

/**
 * Decides by the Roles, ClusterRoles and their bindings of a feed, without waiting once they are loaded. A refusal is
 * given only after the newest objects of the store were looked at, so that a grant holds for the request after it.
 */
export function rbacAuthorizer(source: RbacSource): RbacAuthorizer {
  const index = new RbacIndex(source);
  return {
    name: 'RBAC',
    start: () => index.upToDate(),
    authorize(attributes) {
      if (!index.ready) return index.upToDate().then(() => decide(index, attributes));
      const decision = decide(index, attributes);
      if (decision.decision === 'allow') return decision;
      // What the process knows is enough to refuse by, should the store not answer.
      return index.upToDate().then(
        () => decide(index, attributes),
        () => decision,
      );
    },
    async explain(attributes) {
      await index.upToDate();
      return [explainRbac(index, attributes)];
    },
    async rulesFor(user, namespace) {
      await index.upToDate();
      const rules: PolicyRule[] = [];
      const problems = index.visitRules(user, namespace, ({ rule }) => {
        rules.push(rule);
        return true;
      });
      return { rules, problems };
    },
    async roleRules(roleRef, namespace) {
      await index.upToDate();
      const problems: string[] = [];
      return { rules: index.rulesOf(roleRef, namespace, problems).map(({ rule }) => rule), problems };
    },
  };
}

function decide(index: RbacIndex, attributes: Attributes): Decision {
  let reason: string | undefined;
  const problems = index.visitRules(attributes.user, attributes.namespace, (rule, binding) => {
    if (!rule.allows(attributes)) return true;
    reason = `RBAC: allowed by ${describeBinding(binding, attributes.user)}`;
    return false;
  });
  if (reason !== undefined) return { decision: 'allow', reason };
  return { decision: 'noOpinion', reason: problems.length > 0 ? `RBAC: ${aggregateText(problems)}` : '' };
}
