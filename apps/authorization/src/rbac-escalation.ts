import {
  type Authorizer,
  escalationComplaint,
  type PolicyRule,
  privilegedGroup,
  type RbacBinding,
  rbacGroup,
  type RbacRole,
  type RuleResolver,
  type UserInfo,
} from '@annex/auth';
import { deepEqual, forbidden, type KubeObject, notFound } from '@annex/machinery';
import type { RequestContext } from '@annex/server';

/** Who decides and who knows the rules. */
export interface EscalationDeps {
  authorizer: Authorizer;
  rules: RuleResolver;
}

/** Nobody may write a role with rights beyond their own, unless they may `escalate` it. Throws 403. */
export const admitRole =
  (deps: EscalationDeps, resource: string) =>
  async (object: KubeObject, old: KubeObject | undefined, ctx: RequestContext): Promise<void> => {
    const { user, info } = ctx;
    if (isPrivileged(user) || (await mayOn(deps, user, 'escalate', resource, info.namespace, info.name)))
      return;
    if (old !== undefined && changesOnlyGarbageFields(object, old)) return;
    const granted = (object as RbacRole).rules ?? [];
    await requireHeld(deps, user, info.namespace, granted, resource, object.metadata.name);
  };

/** Nobody may bind a role with rights beyond their own, unless they may `bind` it. Throws 403, or 404 without such a role. */
export const admitBinding =
  (deps: EscalationDeps, resource: string) =>
  async (object: KubeObject, old: KubeObject | undefined, ctx: RequestContext): Promise<void> => {
    const { user, info } = ctx;
    if (isPrivileged(user) || (old !== undefined && changesOnlyGarbageFields(object, old))) return;
    const { roleRef } = object as RbacBinding;
    const roles =
      roleRef.kind === 'ClusterRole' ? 'clusterroles' : roleRef.kind === 'Role' ? 'roles' : undefined;
    if (roles !== undefined && (await mayOn(deps, user, 'bind', roles, info.namespace, roleRef.name))) return;
    const { rules, problems } = await deps.rules.roleRules(roleRef, info.namespace);
    // kube looks the role up in the context of the binding's request, so the answer names bindings.
    if (problems.length > 0) throw notFound({ group: rbacGroup, resource }, roleRef.name);
    await requireHeld(deps, user, info.namespace, rules, resource, object.metadata.name);
  };

const isPrivileged = (user: UserInfo): boolean => user.groups.includes(privilegedGroup);

async function mayOn(
  { authorizer }: EscalationDeps,
  user: UserInfo,
  verb: string,
  resource: string,
  namespace: string,
  name: string,
): Promise<boolean> {
  const { decision } = await authorizer.authorize({
    user,
    verb,
    resourceRequest: true,
    apiGroup: rbacGroup,
    apiVersion: '*',
    resource,
    subresource: '',
    namespace,
    name,
    path: '',
  });
  return decision === 'allow';
}

async function requireHeld(
  { rules }: EscalationDeps,
  user: UserInfo,
  namespace: string,
  granted: readonly PolicyRule[],
  resource: string,
  name = '',
): Promise<void> {
  const complaint = escalationComplaint(user, await rules.rulesFor(user, namespace), granted);
  if (complaint !== undefined) throw forbidden({ group: rbacGroup, resource }, name, complaint);
}

/** Garbage collection must go on whatever rights the collector has. */
function changesOnlyGarbageFields(object: KubeObject, old: KubeObject): boolean {
  const rest = ({ metadata, ...body }: KubeObject) => {
    const { ownerReferences: _o, finalizers: _f, managedFields: _m, resourceVersion: _r, ...meta } = metadata;
    return { ...body, meta };
  };
  const references = ({ metadata: { ownerReferences = [], finalizers = [] } }: KubeObject) => [
    ownerReferences,
    finalizers,
  ];
  return !deepEqual(references(object), references(old)) && deepEqual(rest(object), rest(old));
}
