import { finishInSlices, finishSoon } from '@annex/machinery';
import { createPacer } from '@annex/runtime';
import { describeBinding, type IndexedBinding } from './rbac-bindings.ts';
import { danglingReason, explainRbac } from './rbac-explanation.ts';
import { RbacFreshness } from './rbac-freshness.ts';
import type { CompiledRule } from './rbac-rule.ts';
import { RbacIndex, type RbacSource } from './rbac-index.ts';
import { danglingText, type PolicyRule, type RoleRef } from './rbac-types.ts';
import type { Attributes, Authorizer, Decision, UserInfo } from '../types.ts';

/** The rules that apply to a user, and the errors of their resolution. */
export interface UserRules {
  rules: PolicyRule[];
  problems: string[];
  /** There may be more rules than those listed. */
  incomplete?: boolean;
}

/** The rules of RBAC that apply to a user. */
export interface RbacRules extends UserRules {
  /** The same rules, for comparisons. */
  compiled: readonly CompiledRule[];
  /** The roleRefs of bindings whose role does not exist; the problems describe them. */
  dangling: readonly RoleRef[];
}

/** Resolves the rules of a user, for escalation checks and SelfSubjectRulesReview. */
export interface RuleResolver {
  rulesFor(user: UserInfo, namespace: string): Promise<RbacRules>;
  /** The rules of the role that a binding in this namespace (empty: the whole cluster) refers to. */
  roleRules(roleRef: RoleRef, namespace: string): Promise<RbacRules>;
}

/** Authorizes by RBAC objects. */
export interface RbacAuthorizer extends Authorizer, RuleResolver {
  /** Reads the RBAC objects. The first request calls it if it was not called before. */
  start(): Promise<void>;
}

/**
 * Authorizes by the Roles, ClusterRoles and their bindings of a feed, synchronously once they are loaded.
 * Before a refusal, it checks the latest objects of the store, so that a grant applies to the next request. While the store does not
 * respond, the loaded objects decide.
 */
export function rbacAuthorizer(source: RbacSource): RbacAuthorizer {
  const index = new RbacIndex(source);
  const freshness = new RbacFreshness(() => index.upToDate());
  const latest = () => (index.ready ? freshness.wait() : index.upToDate());
  const again = (attributes: Attributes) => latest().then(() => decide(index, attributes));
  return {
    name: 'RBAC',
    start: () => index.upToDate(),
    authorize(attributes) {
      if (!index.ready) return index.upToDate().then(() => decide(index, attributes));
      const decision = decide(index, attributes);
      if (decision instanceof Promise) {
        const isCurrent = index.isCurrent();
        return decision.then((made) => (made.decision === 'allow' || isCurrent ? made : again(attributes)));
      }
      if (decision.decision === 'allow' || index.isCurrent()) return decision;
      return again(attributes);
    },
    async explain(attributes) {
      await latest();
      return [await finishInSlices(explainRbac(index, attributes), createPacer())];
    },
    async rulesFor(user, namespace) {
      await latest();
      const rules: PolicyRule[] = [];
      const compiled: CompiledRule[] = [];
      const visiting = index.visitRulesInPasses(user, namespace, (rule) => {
        rules.push(rule.rule);
        return compiled.push(rule) > 0;
      });
      const dangling = await finishSoon(visiting, createPacer());
      return { rules, compiled, dangling, problems: dangling.map(danglingText) };
    },
    async roleRules(roleRef, namespace) {
      await latest();
      const dangling: RoleRef[] = [];
      const compiled = index.rulesOf(roleRef, namespace, dangling);
      const rules = compiled.map(({ rule }) => rule);
      return { rules, compiled, dangling, problems: dangling.map(danglingText) };
    },
  };
}

/** A decision visits so many rules at once, and all in slices if the user has more. */
const decidedAtOnce = 10_000;

function decide(index: RbacIndex, attributes: Attributes): Decision | Promise<Decision> {
  let left = decidedAtOnce;
  let reason: string | undefined;
  const isPassed = (rule: CompiledRule, binding: IndexedBinding): boolean => {
    if (!rule.allows(attributes)) return true;
    reason = `RBAC: allowed by ${describeBinding(binding, attributes.user)}`;
    return false;
  };
  const { user, namespace } = attributes;
  const dangling = index.visitRules(
    user,
    namespace,
    (rule, binding) => left-- > 0 && isPassed(rule, binding),
  );
  const made = (unresolved: readonly RoleRef[]): Decision =>
    reason === undefined
      ? { decision: 'noOpinion', reason: danglingReason(unresolved) }
      : { decision: 'allow', reason };
  if (left >= 0) return made(dangling);
  const visiting = index.visitRulesInPasses(user, namespace, isPassed);
  return finishInSlices(visiting, createPacer()).then(made);
}
