import type { Passes } from '@annex/machinery';
import { aggregateText } from '../aggregate-text.ts';
import { describeBinding, type IndexedBinding } from './rbac-bindings.ts';
import type { RbacIndex } from './rbac-index.ts';
import type { CompiledRule } from './rbac-rule.ts';
import { danglingText, type RoleRef } from './rbac-types.ts';
import type { Attributes, Explanation, RuleExplanation } from '../types.ts';

/** The number of rules shown that allow a request, or come closest to allowing it. */
const [mostAllowing, mostNear] = [100, 3];

/** A rule, its binding, and what it lacks. */
interface Found {
  rule: CompiledRule;
  binding: IndexedBinding;
  lacks: string[];
}

/**
 * Checks every rule of a user, also those of other namespaces: which of them allow the request, or lack the
 * least. Works in passes.
 */
export function* explainRbac(index: RbacIndex, attributes: Attributes): Passes<Explanation> {
  const { user, namespace, resourceRequest } = attributes;
  const shown = (found: readonly Found[]): RuleExplanation[] =>
    found.map(({ rule, binding, lacks }) => ({
      binding: describeBinding(binding, user),
      rule: rule.rule,
      lacks,
    }));
  const allowing: Found[] = [];
  const nearest: Found[] = [];
  const dangling = yield* index.visitRulesInPasses(user, namespace, (rule, binding) => {
    const lacks = rule.lacks(attributes);
    if (lacks.length === 0) allowing.push({ rule, binding, lacks });
    else addNear(nearest, { rule, binding, lacks });
    return allowing.length < mostAllowing;
  });
  if (allowing[0] !== undefined) {
    const reason = `RBAC: allowed by ${describeBinding(allowing[0].binding, user)}`;
    return { authorizer: 'RBAC', decision: 'allow', reason, rules: shown(allowing) };
  }
  if (resourceRequest) {
    yield* index.visitOtherNamespaces(user, namespace, (rule, binding) => {
      addNear(nearest, { rule, binding, lacks: ['namespace', ...rule.lacks(attributes)] });
      return true;
    });
  }
  const reason = danglingReason(dangling);
  return { authorizer: 'RBAC', decision: 'noOpinion', reason, rules: shown(nearest) };
}

/** Adds a rule to those that lack the least, in order, behind those that lack as much. */
function addNear(nearest: Found[], found: Found): void {
  const before = nearest.findIndex(({ lacks }) => lacks.length > found.lacks.length);
  nearest.splice(before < 0 ? nearest.length : before, 0, found);
  if (nearest.length > mostNear) nearest.pop();
}

/** Lists the missing roles of bindings; empty if none is missing. */
export const danglingReason = (dangling: readonly RoleRef[]): string =>
  dangling.length > 0 ? `RBAC: ${aggregateText(dangling.map(danglingText))}` : '';
