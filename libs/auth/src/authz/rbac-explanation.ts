import { aggregateText } from '../aggregate-text.ts';
import { danglingText, type RoleRef } from './rbac-types.ts';
import type { Attributes, Explanation, RuleExplanation } from '../types.ts';
import { describeBinding } from './rbac-bindings.ts';
import type { RbacIndex } from './rbac-index.ts';

/** So many rules are shown that do not allow. */
const mostNear = 3;

/**
 * Looks at every rule of a user, also those of other namespaces: which of them allow what was asked, or which lack
 * least.
 */
export function explainRbac(index: RbacIndex, asked: Attributes): Explanation {
  const rules: RuleExplanation[] = [];
  const add = (elsewhere: boolean) =>
    ((rule, binding) => {
      const lacks = [...(elsewhere ? ['namespace'] : []), ...rule.lacks(asked)];
      rules.push({ binding: describeBinding(binding, asked.user), rule: rule.rule, lacks });
      return true;
    }) satisfies Parameters<RbacIndex['visitRules']>[2];
  const dangling = index.visitRules(asked.user, asked.namespace, add(false));
  const allowing = rules.filter(({ lacks }) => lacks.length === 0);
  if (allowing.length > 0) {
    const reason = `RBAC: allowed by ${allowing[0]?.binding}`;
    return { authorizer: 'RBAC', decision: 'allow', reason, rules: allowing };
  }
  if (asked.resourceRequest) index.visitOtherNamespaces(asked.user, asked.namespace, add(true));
  const nearest = rules.toSorted((a, b) => a.lacks.length - b.lacks.length).slice(0, mostNear);
  return { authorizer: 'RBAC', decision: 'noOpinion', reason: danglingReason(dangling), rules: nearest };
}

/** Why rules that somebody should have are not there; empty where none are missing. */
export const danglingReason = (dangling: readonly RoleRef[]): string =>
  dangling.length > 0 ? `RBAC: ${aggregateText(dangling.map(danglingText))}` : '';
