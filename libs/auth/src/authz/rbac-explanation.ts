import { aggregateText } from '../aggregate-text.ts';
import { danglingText, type RoleRef } from './rbac-types.ts';
import type { Attributes, Explanation, RuleExplanation } from '../types.ts';
import { describeBinding } from './rbac-bindings.ts';
import type { RbacIndex } from './rbac-index.ts';

/** The number of rules shown that come closest to allowing a request. */
const mostNear = 3;

/**
 * Checks every rule of a user, also those of other namespaces: which of them allow the request, or lack the
 * least.
 */
export function explainRbac(index: RbacIndex, attributes: Attributes): Explanation {
  const rules: RuleExplanation[] = [];
  const add = (elsewhere: boolean) =>
    ((rule, binding) => {
      const lacks = [...(elsewhere ? ['namespace'] : []), ...rule.lacks(attributes)];
      rules.push({ binding: describeBinding(binding, attributes.user), rule: rule.rule, lacks });
      return true;
    }) satisfies Parameters<RbacIndex['visitRules']>[2];
  const dangling = index.visitRules(attributes.user, attributes.namespace, add(false));
  const allowing = rules.filter(({ lacks }) => lacks.length === 0);
  if (allowing.length > 0) {
    const reason = `RBAC: allowed by ${allowing[0]?.binding}`;
    return { authorizer: 'RBAC', decision: 'allow', reason, rules: allowing };
  }
  if (attributes.resourceRequest)
    index.visitOtherNamespaces(attributes.user, attributes.namespace, add(true));
  const nearest = rules.toSorted((a, b) => a.lacks.length - b.lacks.length).slice(0, mostNear);
  return { authorizer: 'RBAC', decision: 'noOpinion', reason: danglingReason(dangling), rules: nearest };
}

/** Lists the missing roles of bindings; empty if none is missing. */
export const danglingReason = (dangling: readonly RoleRef[]): string =>
  dangling.length > 0 ? `RBAC: ${aggregateText(dangling.map(danglingText))}` : '';
